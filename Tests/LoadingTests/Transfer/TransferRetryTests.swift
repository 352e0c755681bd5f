import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct TransferRetryTests {
  let clock = ManualClock()

  private func transfer(
    _ stub: StubTransport, _ request: Request = Fixture.request(), newBody: Body? = nil,
    shouldRetry: @escaping @Sendable (TransferAttempt, String?) async -> RetryDecision
  ) -> Transfer<String> {
    var settings = Fixture.settings(clock: clock)
    if let newBody { settings.hooks.newBody = { _ in newBody } }
    var configuration = Transfer<String>.Configuration(request, to: .memory(limit: 1_000), settings: settings) {
      String(decoding: $0.content.data ?? Data(), as: UTF8.self)
    }
    configuration.shouldRetry = shouldRetry
    return Transfer(Loader(stub), configuration)
  }

  @Test func `nothing is tried again unless someone says so`() async {
    let stub = StubTransport(script: [.failing(Fixture.lost(.protocolViolation)), .text("hello")])
    let transfer = Transfer(Loader(stub), Fixture.request(), to: .memory(limit: 9))
    #expect(await Fixture.kind { _ = try await transfer.run() } == .protocolViolation)
    #expect(stub.requestCount == 1)
  }

  @Test func `the policy sees each attempt, with the value of one that succeeded`() async throws {
    let seen = Collected<String>()
    let stub = StubTransport(script: [
      .failing(Fixture.lost(.protocolViolation)), .text("no", status: .serviceUnavailable), .text("yes"),
    ])
    let transfer = transfer(stub) { attempt, value in
      let error = (attempt.error as? NetworkError)?.kind.rawValue
      seen.append("\(attempt.number) \(attempt.response?.status.code ?? 0) \(error ?? "-") \(value ?? "-")")
      return value == "yes" ? .finish : .retry(after: .zero)
    }
    #expect(try await transfer.run() == "yes")
    #expect(seen.all == ["1 0 protocol-violation -", "2 503 - no", "3 200 - yes"])
    #expect(transfer.attempts.map(\.number) == [1, 2, 3])
    #expect(transfer.attempts.map(\.reason) == [.first, .retry, .retry])
  }

  @Test func `a cut body, a broken value and a refused status are inside the attempt`() async throws {
    struct Broken: Error {}
    let cut = StubAnswer(body: [.bytes(Data("x".utf8)), .failure(Fixture.lost())])
    let stub = StubTransport(script: [cut, .text("broken"), .text("refused", status: .notFound), .text("good")])
    var configuration = Transfer<String>.Configuration(Fixture.request(), to: .memory(limit: 99)) { result in
      let text = String(decoding: result.content.data ?? Data(), as: UTF8.self)
      if text == "broken" { throw Broken() }
      return text
    }
    configuration.validate = { head, _ in try TransferValidation.successStatus(head) }
    configuration.shouldRetry = { attempt, _ in attempt.error == nil ? .finish : .retry(after: .zero) }
    let transfer = Transfer(Loader(stub), configuration)
    #expect(try await transfer.run() == "good")
    #expect(transfer.attempts.count == 4)
  }

  @Test func `the wait is the policy's, by the injected clock`() async throws {
    let stub = StubTransport(script: [.failing(Fixture.lost(.protocolViolation)), .text("hello")])
    let transfer = transfer(stub) { attempt, _ in attempt.error == nil ? .finish : .retry(after: .seconds(30)) }
    transfer.start()
    try await clock.waitForSleepers()
    #expect(clock.untilNextSleeper == .seconds(30))
    #expect(stub.requestCount == 1)
    clock.advance(by: .seconds(30))
    #expect(try await transfer.value == "hello")
  }

  @Test func `cancelling while it waits or decides ends it at once`() async throws {
    let stub = StubTransport(.failing(Fixture.lost(.protocolViolation)))
    let waiting = transfer(stub) { _, _ in .retry(after: .seconds(30)) }
    waiting.start()
    try await clock.waitForSleepers()
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    await waiting.settled()
    #expect(clock.sleeperCount == 0)

    let gate = ManualGate()
    let deciding = transfer(stub) { _, _ in
      try? await gate.wait()
      return .retry(after: .zero)
    }
    deciding.start()
    try await gate.waitForArrivals()
    deciding.cancel()
    await #expect(throws: CancellationError.self) { try await deciding.value }
    await deciding.settled()
    #expect(stub.requestCount == 2)
  }

  @Test func `pausing neither shortens nor stops the wait`() async throws {
    let stub = StubTransport(script: [.failing(Fixture.lost(.protocolViolation)), .text("hello")])
    let again: @Sendable (TransferAttempt, String?) async -> RetryDecision = { attempt, _ in
      attempt.error == nil ? .finish : .retry(after: .seconds(30))
    }
    let twin = self.transfer(
      StubTransport(script: [.failing(Fixture.lost(.protocolViolation)), .text("hello")]), shouldRetry: again)
    let transfer = transfer(stub, shouldRetry: again)
    for transfer in [transfer, twin] { transfer.start() }
    try await clock.waitForSleepers(2)
    transfer.pause()
    transfer.resume()
    #expect(clock.untilNextSleeper == .seconds(30))
    transfer.pause()
    clock.advance(by: .seconds(30))
    // The wait is over: the one that is not paused is sent again.
    #expect(try await twin.value == "hello")
    #expect(stub.requestCount == 1)
    transfer.resume()
    #expect(try await transfer.value == "hello")
  }

  @Test func `each attempt has a request of its own`() async throws {
    let recording = RecordingTransport(StubTransport(script: [.failing(Fixture.lost(.protocolViolation)), .text("")]))
    var configuration = Transfer<TransferResult>.Configuration(
      request: { attempt in
        var request = Fixture.request()
        request.headerFields[.authorization] = "token \(attempt.number)"
        return request
      }, to: .memory(limit: 9), decode: { $0 })
    configuration.shouldRetry = { attempt, _ in attempt.error == nil ? .finish : .retry(after: .zero) }
    let transfer = Transfer(Loader(recording), configuration)
    _ = try await transfer.run()
    #expect(recording.requests.map { $0.headerFields[.authorization] } == ["token 1", "token 2"])
    #expect(recording.records.map(\.attempt) == [1, 2])
    #expect(transfer.request?.headerFields[.authorization] == "token 2")
  }

  @Test func `a one-shot body is asked for again, else the attempt is refused`() async throws {
    func oneShot() -> Body {
      .stream(
        AsyncStream<Data> { continuation in
          continuation.yield(Data("body".utf8))
          continuation.finish()
        }, length: 4)
    }
    let answers: @Sendable (StubTransport.Asked) async throws -> StubAnswer = { asked in
      asked.index == 0 ? .failing(Fixture.lost(.protocolViolation)) : .bytes(asked.body)
    }
    let given = transfer(
      StubTransport(answer: answers), Fixture.request(.post, body: oneShot()), newBody: oneShot()
    ) { attempt, _ in attempt.number == 1 ? .retry(after: .zero) : .finish }
    #expect(try await given.run() == "body")

    let stub = StubTransport(answer: answers)
    let refused = transfer(stub, Fixture.request(.post, body: oneShot())) { attempt, _ in
      attempt.number == 1 ? .retry(after: .zero) : .finish
    }
    let error = await #expect(throws: NetworkError.self) { try await refused.run() }
    #expect(error?.kind == .bodyNotReplayable)
    #expect((error?.details.underlying as? NetworkError)?.kind == .protocolViolation)
    #expect(stub.requestCount == 1)
  }

  @Test func `the history of very many attempts keeps the newest`() async throws {
    let stub = StubTransport(.failing(Fixture.lost(.protocolViolation)))
    let transfer = transfer(stub) { attempt, _ in attempt.number < 250 ? .retry(after: .zero) : .finish }
    _ = try? await transfer.run()
    #expect(transfer.attemptCount == 250)
    #expect(transfer.attempts.map(\.number) == Array(151...250))
  }

  @Test func `the latest head is kept when its attempt is forgotten`() async throws {
    let stub = StubTransport { $0.index == 0 ? .text("hello") : .failing(Fixture.lost(.protocolViolation)) }
    let transfer = transfer(stub) { attempt, _ in attempt.number < 150 ? .retry(after: .zero) : .finish }
    _ = try? await transfer.run()
    #expect(transfer.attempts.allSatisfy { $0.response == nil })
    #expect(transfer.response?.status == .ok)
  }

  @Test func `a wait of for ever can be cancelled and does not trap`() async throws {
    let stub = StubTransport(.failing(Fixture.lost(.protocolViolation)))
    let transfer = transfer(stub) { _, _ in .retry(after: .seconds(Int64.max)) }
    transfer.start()
    try await clock.waitForSleepers()
    transfer.cancel()
    await transfer.settled()
    #expect(clock.sleeperCount == 0)
  }
}
