import CurlewCore
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct RedactionTests {
  @Test(arguments: [
    ("http://user:secret@h.test/a?x=1", "http://<redacted>@h.test/a?x=1"),
    ("http://h.test/?Token=secret&x=1&sig=secret#f", "http://h.test/?Token=<redacted>&x=1&sig=<redacted>#f"),
    ("http://h.test/a@b?q=c@d", "http://h.test/a@b?q=c@d"),
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

  @Test func `an error's description quotes no field`() throws {
    var request = try Request(.get, "http://h.test/")
    request.headerFields[.authorization] = "Basic secret"
    let error = NetworkError(.connectionLost, stage: .sending, message: "Lost.").with { $0.request = request }
    #expect(!String(describing: error).contains("secret") && !"\(request)".contains("secret"))
  }
}
