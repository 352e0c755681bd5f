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
    ("http://user:secret@[::1]:80/#/x?token=secret", "http://<redacted>@[::1]:80/#/x?token=<redacted>"),
    ("http://h.test/#/x?a=b&token=secret&c", "http://h.test/#/x?a=b&token=<redacted>&c"),
    (
      "http://h.test/?a=1;token=secret;b=2&c=d?jwt=secret", "http://h.test/?a=1;token=<redacted>;b=2&c=d?jwt=<redacted>"
    ),
    (
      "http://h.test/a;jsessionid=secret/b;c=1;pwd=secret?d",
      "http://h.test/a;jsessionid=<redacted>/b;c=1;pwd=<redacted>?d"
    ),
    (
      "http://h.test/é/?X-Goog-Signature=secret&X-Goog-Credential=secret&auth=secret&session=secret&SAMLResponse=secret",
      "http://h.test/%C3%A9/?X-Goog-Signature=<redacted>&X-Goog-Credential=<redacted>&auth=<redacted>&session=<redacted>"
        + "&SAMLResponse=<redacted>"
    ),
    (
      "http://h.test/?client_assertion=secret&pwd=secret&jwt=secret&client=a",
      "http://h.test/?client_assertion=<redacted>&pwd=<redacted>&jwt=<redacted>&client=a"
    ),
    ("http://h.test/a&token=b", "http://h.test/a&token=b"),
  ])
  func `a URL loses its secrets and nothing else`(text: String, expected: String) throws {
    #expect(Redaction.standard.redacted(try #require(URL(string: text))) == expected)
  }

  @Test func `a combining mark does not hide the end of a secret's name`() throws {
    let fields = Redaction.standard.redacted([.location: "http://user:secret@h.test/?token=\u{301}secret&a\u{301}=b"])
    // Compared by bytes: a mark behind `=` makes it another character.
    let location = try #require(fields[.location])
    #expect(Array(location.utf8) == Array("http://<redacted>@h.test/?token=<redacted>&a\u{301}=b".utf8))
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

  @Test func `links and what leads to a URL lose theirs too`() throws {
    for (name, value, expected) in [
      (
        "Link", #"<https://u:secret@h.test/?token=secret>; rel="next", </a?sig=secret>;rel=x"#,
        #"<https://<redacted>@h.test/?token=<redacted>>; rel="next", </a?sig=<redacted>>;rel=x"#
      ),
      ("Link", "<a>, <b", "<a>, <b"), ("Refresh", "5; url=/a?code=secret", "5; url=/a?code=<redacted>"),
      ("Destination", "https://h.test/a?sig=secret", "https://h.test/a?sig=<redacted>"),
    ] {
      let name = try #require(HTTPField.Name(name))
      #expect(Redaction.standard.redacted([name: value])[name] == expected)
    }
  }

  @Test(arguments: [
    ("http://h.test/a%20b?q=x%20y", "http://h.test/a%20b?q=x%20y"),
    ("http://h.test/a%2Fb?q=x%20y&token=secret", "http://h.test/a%2Fb?q=x%20y&token=%3Credacted%3E"),
    ("http://u:secret@h.test/a%20b#%23", "http://%3Credacted%3E@h.test/a%20b#%23"),
  ])
  func `a redacted request has the rest of its URL as it was`(text: String, expected: String) throws {
    #expect(Redaction.standard.redacted(try Request(.get, text)).url.absoluteString == expected)
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

  @Test func `a dump of what can contain secrets shows none`() throws {
    var request = try Request(.post, "http://user:s3cr3t@h.test/?token=s3cr3t")
    request.headerFields[.authorization] = "Bearer s3cr3t"
    request.body = .bytes(Data("s3cr3t".utf8))
    var head = ResponseHead(url: request.url, status: .unauthorized)
    head.headerFields[.setCookie] = "a=s3cr3t"
    var proxy = Proxy(host: "p.test", port: 8080, credential: .password(user: "user", password: "s3cr3t"))
    proxy.authorization = "Basic s3cr3t"
    let space = ProtectionSpace(origin: try Origin(scheme: .http, host: "p.test", port: 8080), scheme: "digest")
    let challenge = Challenge(
      protectionSpace: space, parameters: [.init(name: "nonce", value: "s3cr3t")],
      proposedCredential: .password(user: "user", password: "s3cr3t"), response: head)
    enum Key: UserInfoKey { typealias Value = String }
    var settings = ExchangeSettings()
    settings.proxy = proxy
    settings.userInfo[Key.self] = "s3cr3t"
    let error = NetworkError(.unacceptableStatus, stage: .awaitingHead, message: "No.").with { details in
      details.request = request
      details.response = head
      details.responseBody = Data("s3cr3t".utf8)
      details.proxyChallenges = [challenge]
      details.underlying = NetworkError(.unacceptableStatus, stage: .awaitingHead, message: "No.").with {
        $0.request = request
      }
    }
    for value in [request, head, proxy, challenge, settings, error, Exchange(settings)] as [Any] {
      var text = ""
      dump(value, to: &text)
      #expect(!text.isEmpty && !text.contains("s3cr3t"), "\(text)")
    }
  }

  @Test func `an error's description quotes no field`() throws {
    var request = try Request(.get, "http://h.test/")
    request.headerFields[.authorization] = "Basic secret"
    let error = NetworkError(.connectionLost, stage: .sending, message: "Lost.").with { $0.request = request }
    #expect(!String(describing: error).contains("secret") && !"\(request)".contains("secret"))
  }
}
