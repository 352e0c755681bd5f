import Curlew
import CurlewTestSupport
import FoundationEssentials
import Testing

@testable import TestedClient

/// Tests without a socket: a stub in the place of the transport. The rest of the client is the real one.
@Suite(.timeLimit(.minutes(10))) struct StubTests {
  private let sightings = [Sighting(bird: "Curlew", count: 2)]

  /// A log over a transport, with the umbrella's JSON.
  private func log(
    _ transport: any Transport, _ change: (inout SessionConfiguration) -> Void = { _ in }
  ) throws -> SightingLog {
    SightingLog(
      try HTTPSession(transport) { configuration in
        configuration.baseURL = try BaseURL("https://birds.test/v1/")
        configuration.coding = .json
        change(&configuration)
      })
  }

  @Test func `sightings are decoded`() async throws {
    let log = try log(StubTransport(.json(#"[{"bird":"Curlew","count":2}]"#)))
    #expect(try await log.all() == sightings)
  }

  @Test func `a sighting is posted as JSON`() async throws {
    let recording = RecordingTransport(StubTransport(StubAnswer(.created)))
    try await log(recording).record(sightings[0])
    let request = try #require(recording.requests.first)
    #expect(request.method == .post && request.url.absoluteString == "https://birds.test/v1/sightings")
    #expect(request.headerFields[.contentType] == "application/json")
  }

  @Test func `a busy server is asked again after the time that it names, without a test that waits`() async throws {
    let clock = ManualClock()
    let stub = StubTransport(script: [
      StubAnswer(.serviceUnavailable, headerFields: [.retryAfter: "90"]), .json("[]"),
    ])
    let log = try log(stub) { $0.settings.clock = clock }
    async let found = log.all()
    try await clock.waitForSleepers(1)
    #expect(stub.requestCount == 1 && clock.untilNextSleeper == .seconds(90))
    clock.advance(by: .seconds(90))
    #expect(try await found.isEmpty && stub.requestCount == 2)
  }

  @Test func `a sighting that the server may have seen is not recorded twice`() async throws {
    let lost = NetworkError(.connectionLost, stage: .awaitingHead, message: "The connection was lost.")
      .with { $0.maybeProcessed = true }
    let stub = StubTransport(StubAnswer(.created))
    let log = try log(FailingTransport(stub, script: [.beforeHead(lost)]))
    let error = await #expect(throws: NetworkError.self) { try await log.record(sightings[0]) }
    #expect(error?.kind == .connectionLost && error?.maybeProcessed == true && stub.requestCount == 1)
  }

  @Test func `an observer sees each attempt`() async throws {
    let observer = RecordingObserver()
    let clock = ManualClock()
    let log = try log(StubTransport(script: [.text("", status: .badGateway), .json("[]")])) { configuration in
      configuration.settings.observers = [observer]
      configuration.settings.clock = clock
    }
    async let found = log.all()
    try await clock.waitForSleepers(1)
    clock.advanceToNextSleeper()
    #expect(try await found.isEmpty)
    try await observer.waitForFinished()
    let sendings = observer.kinds.count { if case .sending = $0 { true } else { false } }
    #expect(sendings == 2 && observer.outcomes.count == 1)
  }
}
