import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct RedirectHookTests {
  private static let answers = ["http://a.test/1": StubAnswer.redirect(to: "http://a.test/2")]

  private func hooks(
    _ redirect: @escaping @Sendable (Request, ResponseHead?) async throws -> Request?
  ) -> ExchangeHooks {
    var hooks = ExchangeHooks()
    hooks.redirect = redirect
    return hooks
  }

  @Test func `the app sees what is proposed and lets it be`() async throws {
    let asked = Collected<String>()
    let stub = Redirecting(Self.answers)
    let response = try await stub.load(
      "http://a.test/1",
      hooks: hooks { proposed, response in
        asked.append("\(proposed.url) after \(response?.status.code ?? 0)")
        return proposed
      })
    #expect(asked.all == ["http://a.test/2 after 302"])
    #expect(response.head.url.path == "/2")
  }

  @Test func `the app that stops gets the 3xx with its body`() async throws {
    let stub = Redirecting([
      "http://a.test/1": StubAnswer(.found, headerFields: [.location: "/2"], body: [.bytes(Data("moved".utf8))])
    ])
    let response = try await stub.load(
      "http://a.test/1", hooks: hooks { _, response in response.map { _ in nil } ?? nil })
    #expect(response.head.status == .found)
    #expect(try await response.body.collect(upTo: 100) == Data("moved".utf8))
    #expect(stub.recording.requests.count == 1)
  }

  @Test func `the app can change the request`() async throws {
    let stub = Redirecting(Self.answers)
    try await stub.load(
      "http://a.test/1",
      hooks: hooks { proposed, _ in
        var changed = proposed
        changed.url = URL(string: "http://a.test/3") ?? proposed.url
        changed.headerFields[.accept] = "text/x"
        return changed
      })
    #expect(stub.urls == ["http://a.test/1", "http://a.test/3"])
    #expect(stub.recording.requests.last?.headerFields[.accept] == "text/x")
  }

  @Test func `credentials that the app left in while it changed the origin are stripped, those it set are not`()
    async throws
  {
    for own in [nil, "Bearer other"] {
      let stub = Redirecting(Self.answers)
      try await stub.load(
        "http://a.test/1", { $0.headerFields[.authorization] = "Bearer one" },
        hooks: hooks { proposed, _ in
          #expect(proposed.headerFields[.authorization] == "Bearer one")
          var changed = proposed
          changed.url = URL(string: "http://b.test/3") ?? proposed.url
          if let own { changed.headerFields[.authorization] = own }
          return changed
        })
      #expect(stub.recording.requests.last?.headerFields[.authorization] == own)
    }
  }

  @Test func `an error of the app's ends the request`() async throws {
    struct Mine: Error {}
    let stub = Redirecting(Self.answers)
    await #expect(throws: Mine.self) {
      try await stub.load(
        "http://a.test/1",
        hooks: hooks { _, response in
          if response != nil { throw Mine() }
          return nil
        })
    }
  }

  @Test func `the app that leads nowhere is told so`() async throws {
    let stub = Redirecting(Self.answers)
    let hooks = hooks { proposed, _ in
      var changed = proposed
      changed.url = URL(string: "ftp://a.test/") ?? proposed.url
      return changed
    }
    #expect(await Fixture.kind { try await stub.load("http://a.test/1", hooks: hooks) } == .invalidRedirect)
  }

  @Test func `the app is asked for a canonical URL with no response, and may keep its own`() async throws {
    for keeps in [false, true] {
      let asked = Collected<String>()
      let stub = Redirecting([:])
      try await stub.load(
        "HTTP://A.test:80/x/../y?z#f",
        hooks: hooks { proposed, response in
          asked.append("\(proposed.url) \(response == nil)")
          return keeps ? nil : proposed
        })
      #expect(asked.all == ["http://a.test/y?z#f true"])
      #expect(stub.urls == [keeps ? "HTTP://A.test:80/x/../y?z#f" : "http://a.test/y?z#f"])
    }
  }

  @Test func `observers are told of each hop, redacted, before it is sent`() async throws {
    let observer = RecordingObserver()
    let stub = Redirecting([
      "http://a.test/1": .redirect(to: "/2?token=secret"), "http://a.test/2?token=secret": .redirect(to: "/3"),
    ])
    let response = try await stub.loader.load(
      Request(.get, "http://a.test/1"), in: Exchange(Fixture.settings(observer: observer)))
    _ = try await response.body.collect(upTo: 100)
    #expect(
      observer.names.filter { $0 != "received" && $0 != "measured" && $0 != "connected" && $0 != "sent" } == [
        "started", "sending", "responded", "redirecting", "sending", "responded", "redirecting", "sending", "responded",
        "finished",
      ])
    let hops = observer.events.compactMap { event in
      if case .redirecting(let to, let response) = event.kind {
        "\(event.hop) \(response.status.code) \(to.url.query ?? "")"
      } else {
        nil
      }
    }
    #expect(hops == ["0 302 token=%3Credacted%3E", "1 302 "] || hops == ["0 302 token=<redacted>", "1 302 "])
  }
}
