import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct RedirectBodyTests {
  private static let answers = ["http://a.test/1": StubAnswer.redirect(307, to: "/2")]

  /// Gives its bytes once for each time it is made.
  private final class Once: BodyChunks {
    private let chunk = Guarded<Data?>(Data("body".utf8))
    func next() async throws -> Data? {
      chunk.withLock { chunk in
        defer { chunk = nil }
        return chunk
      }
    }
  }

  private func stub(_ bodies: Collected<String>) -> Loader {
    let stub = StubTransport { asked in
      bodies.append(String(decoding: asked.body, as: UTF8.self))
      return asked.index == 0 ? .redirect(307, to: "/2") : .text("end")
    }
    return Loader(stub, chain: InterceptorChain(redirect: Redirect()))
  }

  @Test func `a body that can be sent again is sent again`() async throws {
    for body in [Body.text("body"), .stream(replayable: true) { Once() }] {
      let bodies = Collected<String>()
      _ = try await stub(bodies).load(Request(.post, Fixture.url, body: body))
      #expect(bodies.all == ["body", "body"])
    }
  }

  @Test func `a body that is sent once needs another, or the request fails and nothing more is sent`() async throws {
    let body = Body.stream(replayable: false) { Once() }
    let bodies = Collected<String>()
    let loader = stub(bodies)
    do {
      _ = try await loader.load(Request(.post, Fixture.url, body: body))
      Issue.record("It was sent again.")
    } catch let error as NetworkError {
      #expect(error.kind == .bodyNotReplayable)
      #expect(error.maybeProcessed)
      #expect(error.details.response?.status == .temporaryRedirect)
    }
    #expect(bodies.all == ["body"])

    var settings = ExchangeSettings()
    settings.hooks.newBody = { request in
      #expect(request.url.path == "/2")
      return .text("another")
    }
    let others = Collected<String>()
    _ = try await stub(others).load(Request(.post, Fixture.url, body: body), in: Exchange(settings))
    #expect(others.all == ["body", "another"])
  }

  @Test func `a body that goes is not asked for again`() async throws {
    let stub = Redirecting(["http://a.test/1": .redirect(303, to: "/2")])
    try await stub.load("http://a.test/1") { request in
      request.method = .put
      request.options.expectsContinue = true
      request.body = .stream(replayable: false) { Once() }
      request.headerFields = [.contentType: "text/plain", .contentEncoding: "gzip", .range: "bytes=0-1"]
    }
    let last = try #require(stub.recording.requests.last)
    #expect(last.method == .get)
    #expect(last.body.isEmpty)
    #expect(last.options.expectsContinue == nil)
    #expect(last.headerFields.map(\.name.canonicalName) == ["range"])
  }

  @Test func `the body of a 3xx is read to its end where that is near, and cut off where it is not`() async throws {
    let stub = StubTransport { asked in
      var answer = StubAnswer.redirect(to: "/\(asked.index + 2)")
      switch asked.index {
      case 0: answer.body = [.bytes(Data(repeating: 1, count: 1000))]
      case 1: answer.body = [.made { Data(repeating: 1, count: 1000) }, .made { Data(repeating: 1, count: 1000) }]
      case 2: answer.body = [.repeated(Data(repeating: 1, count: 1000), count: 1000)]
      case 3: answer.body = [.made { Data(repeating: 1, count: 80_000) }]
      default: return .text("end")
      }
      return answer
    }
    let recording = RecordingTransport(stub)
    // No time passes, so that only the lengths decide.
    let exchange = Exchange(Fixture.settings(clock: ManualClock()))
    let response = try await Loader(recording, chain: InterceptorChain(redirect: Redirect()))
      .load(Request(.get, "http://a.test/1"), in: exchange)
    #expect(response.head.status == .ok)
    let outcomes = recording.records.prefix(4).map { record in
      switch record.outcome {
      case .ended(_, let bytes): "ended \(bytes)"
      case .dropped(_, let bytes): "dropped \(bytes)"
      default: "\(record.outcome)"
      }
    }
    #expect(outcomes == ["ended 1000", "ended 2000", "dropped 0", "dropped 80000"])
    #expect(stub.inFlightCount == 1)
  }

  @Test func `the end of a 3xx is not waited for longer than said`() async throws {
    let clock = ManualClock()
    let stub = StubTransport { asked in
      guard asked.index == 0 else { return .text("end") }
      var answer = StubAnswer.redirect(to: "/2")
      answer.body = [.bytes(Data([1])), .stall]
      return answer
    }
    let loader = Loader(stub, chain: InterceptorChain(redirect: Redirect()))
    async let response = loader.load(
      Request(.get, "http://a.test/1"), in: Exchange(Fixture.settings(clock: clock)))
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(try await response.head.status == .ok)
  }

  @Test func `a failure behind a redirect that changed the method says that the first request was acted on`()
    async throws
  {
    for (status, expected) in [(303, true), (307, false)] {
      let stub = StubTransport { asked in
        asked.index == 0
          ? .redirect(status, to: "/2")
          : .failing(NetworkError(.connectionFailed, stage: .connecting, message: "No connection."))
      }
      let loader = Loader(stub, chain: InterceptorChain(redirect: Redirect()))
      do {
        _ = try await loader.load(Request(.post, "http://a.test/1"))
        Issue.record("There was no failure.")
      } catch let error as NetworkError {
        #expect(error.kind == .connectionFailed)
        #expect(error.maybeProcessed == expected)
      }
    }
  }

  @Test func `a request that is cancelled while a 3xx is read sends nothing more`() async throws {
    let gate = ManualGate()
    let stub = StubTransport { asked in
      var answer = StubAnswer.redirect(to: "/2")
      answer.body = [.wait { try await gate.wait() }, .made { Data() }]
      return answer
    }
    let loader = Loader(stub, chain: InterceptorChain(redirect: Redirect()))
    let task = Task { try await loader.load(Request(.get, "http://a.test/1")) }
    try await gate.waitForArrivals()
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    #expect(stub.requestCount == 1)
  }
}
