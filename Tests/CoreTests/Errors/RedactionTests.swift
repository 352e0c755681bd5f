import CurlewCore
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct RedactionTests {
  @Test(arguments: [
    ("http://user:secret@h.test/a?x=1", "http://<redacted>@h.test/a?x=1"),
    ("http://h.test/?Token=secret&x=1&sig=secret#f", "http://h.test/?Token=<redacted>&x=1&sig=<redacted>#f"),
    ("http://h.test/a@b?q=c@d", "http://h.test/a@b?q=c@d"),
    ("http://h.test/#access_token=secret&state=1", "http://h.test/#access_token=<redacted>&state=1"),
    ("http://h.test/?%74oken=secret&a", "http://h.test/?%74oken=<redacted>&a"),
    ("http://h.test/a//b@c/", "http://h.test/a//b@c/"), ("http://h.test/?u=//a@b", "http://h.test/?u=//a@b"),
    ("http://user:secret@[::1]:80/#/x?token=secret", "http://<redacted>@[::1]:80/#/x?token=secret"),
  ])
  func `a URL loses its secrets and nothing else`(text: String, expected: String) throws {
    #expect(Redaction.standard.redacted(try #require(URL(string: text))) == expected)
  }

  @Test func `observers see no credential unless they ask`() throws {
    final class Observer: EventObserver {
      let wantsSecrets: Bool
      let seen = Guarded<[ExchangeEvent]>([])
      init(wantsSecrets: Bool) { self.wantsSecrets = wantsSecrets }
      func observe(_ event: ExchangeEvent) { seen.withLock { $0.append(event) } }
    }
    let modest = Observer(wantsSecrets: false)
    let curious = Observer(wantsSecrets: true)
    var settings = ExchangeSettings()
    settings.observers = [modest, curious]
    var request = try Request(.get, "http://h.test/?token=secret")
    request.headerFields[.authorization] = "Basic secret"
    request.headerFields[.cookie] = "id=secret"
    request.body = .text("secret")
    Exchange(settings).emit(.started(request))
    func text(_ observer: Observer) -> String {
      guard case .started(let request) = observer.seen.withLock({ $0.first?.kind }) else { return "" }
      return "\(request.url) \(request.headerFields)"
    }
    #expect(!text(modest).contains("secret") && text(modest).contains(Redaction.mark))
    #expect(text(curious).contains("Basic secret"))
  }

  @Test(arguments: ["Location", "Content-Location", "Referer"])
  func `the URLs in fields lose theirs too`(name: String) throws {
    let name = try #require(HTTPField.Name(name))
    for (value, expected) in [
      ("https://h.test/?code=secret&x=1#token=secret", "https://h.test/?code=<redacted>&x=1#token=<redacted>"),
      ("/back?code=secret", "/back?code=<redacted>"), ("//u:secret@h.test/", "//<redacted>@h.test/"),
      ("/plain", "/plain"), ("", ""),
    ] {
      #expect(Redaction.standard.redacted([name: value])[name] == expected)
    }
    #expect(!Redaction.standard.fields.contains(name))
  }

  @Test func `a request whose URL is redacted is none that could be sent`() throws {
    for text in [
      "http://user:secret@h.test/", "http://user:secret@[::1]:80/?token=secret", "http://h.test/?sig=secret",
    ] {
      let request = Redaction.standard.redacted(try Request(.get, text))
      #expect(!"\(request.url)".contains("secret"))
    }
  }

  @Test func `an error loses the secrets of its proxy's challenges and of the errors below it`() throws {
    let space = ProtectionSpace(origin: try Origin(scheme: .http, host: "p.test", port: 8080), scheme: "digest")
    let challenge = Challenge(
      protectionSpace: space, parameters: [.init(name: "nonce", value: "secret")],
      proposedCredential: .password(user: "u", password: "secret"))
    let inner = NetworkError(.proxyChallenge, stage: .connecting, message: "Asked.").with { details in
      details.proxyChallenges = [challenge]
      details.request = try? Request(.get, "http://h.test/?token=secret")
    }
    let outer = NetworkError(.proxyFailed, stage: .connecting, message: "Failed.", underlying: inner)
    let redacted = try #require(Redaction.standard.redacted(outer) as? NetworkError)
    let below = try #require(redacted.details.underlying as? NetworkError)
    #expect(below.details.proxyChallenges == [Challenge(protectionSpace: space)])
    #expect(below.details.request?.url.absoluteString.contains("secret") == false)
  }

  @Test func `neither a description nor a dump of an identity has its key`() {
    let identity = ClientIdentity(certificateChain: Data("public".utf8), privateKey: Data("secret".utf8))
    var text = "\(identity) \(String(reflecting: identity)) "
    dump(identity, to: &text)
    dump(Credential.identity(identity), to: &text)
    #expect(!text.contains("secret") && !text.contains("privateKey"))
  }

  @Test func `an error's description quotes no field`() throws {
    var request = try Request(.get, "http://h.test/")
    request.headerFields[.authorization] = "Basic secret"
    let error = NetworkError(.connectionLost, stage: .sending, message: "Lost.").with { $0.request = request }
    #expect(!String(describing: error).contains("secret") && !"\(request)".contains("secret"))
  }
}
