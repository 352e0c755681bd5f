import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// A policy in the hands of a transfer.
@Suite(.timeLimit(.minutes(10))) struct RetryTransferTests {
  private let clock = ManualClock()
  private let policy = RetryPolicy(limit: 3, delay: .fixed(.seconds(10)))

  @Test func `each attempt is in the history with what came of it`() async throws {
    struct Broken: Error {}
    let cut = StubAnswer(body: [.bytes(Data("x".utf8)), .failure(Fixture.lost(.truncatedBody))])
    let stub = StubTransport(script: [
      .text("later", status: .serviceUnavailable), cut, .text("broken"), .text("good"),
    ])
    let observer = RecordingObserver()
    let transfer = RetryFixture.transfer(stub, policy, clock: clock, observer: observer) { configuration in
      configuration.validate = { head, _ in try TransferValidation.successStatus(head) }
      let decode = configuration.decode
      configuration.decode = { result in
        let text = try await decode(result)
        if text == "broken" { throw Broken() }
        return text
      }
    }
    #expect(try await RetryFixture.run(transfer, clock) == "good")
    let attempts = transfer.attempts
    #expect(attempts.map(\.retries) == [0, 1, 2, 3])
    #expect(attempts.map { $0.response?.status.code } == [503, 200, 200, 200])
    #expect(attempts.map { ($0.error as? NetworkError)?.kind } == [.unacceptableStatus, .truncatedBody, nil, nil])
    #expect(attempts[2].error is Broken)
    #expect(attempts.map(\.metrics.count) == [1, 1, 1, 1])
    #expect(attempts.map { $0.metrics.first?.attempt } == [1, 2, 3, 4])
    #expect(attempts.map(\.waited) == [.zero, .seconds(10), .seconds(10), .seconds(10)])
    #expect(transfer.metrics.map(\.attempt) == [1, 2, 3, 4])
    #expect(observer.names.count { $0 == "retrying" } == 3)
    #expect(transfer.totalTime == .seconds(30))
  }

  @Test func `cancelling while it waits ends it at once, and pausing does not stop the wait`() async throws {
    let stub = StubTransport(.text("no", status: .serviceUnavailable))
    let cancelled = RetryFixture.transfer(stub, policy, clock: clock)
    cancelled.start()
    try await clock.waitForSleepers()
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    await cancelled.settled()
    #expect(clock.sleeperCount == 0)

    let paused = RetryFixture.transfer(
      StubTransport(script: [.text("no", status: .serviceUnavailable), .text("yes")]), policy, clock: clock)
    let twin = RetryFixture.transfer(
      StubTransport(script: [.text("no", status: .serviceUnavailable), .text("yes")]), policy, clock: clock)
    for transfer in [paused, twin] { transfer.start() }
    try await clock.waitForSleepers(2)
    paused.pause()
    clock.advance(by: .seconds(10))
    // The wait is over: the one that is not paused is sent again.
    #expect(try await twin.value == "yes")
    #expect(paused.attemptCount == 1)
    paused.resume()
    #expect(try await paused.value == "yes")
  }

  @Test func `the app is asked within the limits and may take its time`() async throws {
    let gate = ManualGate()
    let asked = Collected<String>()
    let stub = StubTransport(script: [.text("a"), .text("b"), .text("c"), .text("d"), .text("e")])
    let transfer = RetryFixture.transfer(stub, policy, clock: clock) { configuration in
      configuration.shouldRetry = { attempt, value in
        try? await gate.wait()
        asked.append("\(attempt.number) \(value ?? "-") \(attempt.allowsRetry)")
        return .again
      }
    }
    transfer.start()
    try await gate.waitForArrivals()
    #expect(stub.requestCount == 1)
    gate.open()
    #expect(try await RetryFixture.run(transfer, clock) == "d")
    // After the last attempt that the limit allows nothing but a restart would bring another.
    #expect(asked.all == ["1 a true", "2 b true", "3 c true", "4 d false"])
  }

  @Test func `the time the app takes to answer counts in the budget`() async throws {
    var policy = policy
    policy.budget = .seconds(15)
    let transfer = RetryFixture.transfer(StubTransport(.text("no")), policy, clock: clock) { [clock] configuration in
      configuration.shouldRetry = { _, _ in
        clock.advance(by: .seconds(6))
        return .again
      }
    }
    _ = try await RetryFixture.run(transfer, clock)
    #expect(transfer.attemptCount == 1)
  }

  @Test func `one key is made for a request that is not idempotent, and all attempts carry it`() async throws {
    var policy = policy
    policy.idempotencyKey = IdempotencyKey.random
    let recording = RecordingTransport(StubTransport(.text("no", status: .serviceUnavailable)))
    let transfer = RetryFixture.transfer(recording, policy, Fixture.request(.post), clock: clock)
    _ = try await RetryFixture.run(transfer, clock)
    let keys = recording.requests.map(IdempotencyKey.of)
    #expect(keys.count == 4 && Set(keys).count == 1)
    #expect(keys.first??.count == 38)

    let idempotent = RecordingTransport(StubTransport(.text("no", status: .serviceUnavailable)))
    _ = try await RetryFixture.run(RetryFixture.transfer(idempotent, policy, clock: clock), clock)
    #expect(idempotent.requests.allSatisfy { IdempotencyKey.of($0) == nil })
  }

  @Test func `a key that the app makes anew for each attempt stays the first one`() async throws {
    let recording = RecordingTransport(StubTransport(.text("no", status: .serviceUnavailable)))
    let transfer = RetryFixture.transfer(recording, policy, clock: clock) { configuration in
      configuration.request = { attempt in
        var request = Fixture.request(.post)
        request.headerFields[.init("Idempotency-Key")!] = "\"\(attempt.number)\""
        return request
      }
    }
    _ = try await RetryFixture.run(transfer, clock)
    #expect(recording.requests.map(IdempotencyKey.of) == ["\"1\"", "\"1\"", "\"1\"", "\"1\""])
  }

  @Test func `a request that never reached the server is repeated whatever its method`() async throws {
    let stub = StubTransport(script: [
      .failing(Fixture.lost(.connectionFailed, maybeProcessed: false)), .text("made"),
    ])
    let transfer = RetryFixture.transfer(stub, policy, Fixture.request(.post), clock: clock)
    #expect(try await RetryFixture.run(transfer, clock) == "made")
    #expect(transfer.attempts.map(\.maybeProcessed) == [false, true])

    let unknown = RetryFixture.transfer(
      StubTransport(.failing(Fixture.lost(.idleTimedOut))), policy, Fixture.request(.post), clock: clock)
    #expect(await Fixture.kind { _ = try await RetryFixture.run(unknown, clock) } == .idleTimedOut)
    #expect(unknown.attemptCount == 1)
  }

  /// Goes to a second place as a redirect does.
  private struct Hop: Interceptor {
    func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
      let first = try await next(request, in: exchange)
      await first.body.discard()
      return try await next(Fixture.request(), in: exchange.derived(hop: 1))
    }
  }

  @Test func `a POST that was answered with a redirect to a dead host was acted on`() async throws {
    let stub = StubTransport(script: [
      .text("", status: .seeOther), .failing(Fixture.lost(.connectionFailed, maybeProcessed: false)), .text("twice"),
    ])
    let transfer = RetryFixture.transfer(
      stub, policy, Fixture.request(.post), clock: clock, interceptors: [Hop()])
    #expect(await Fixture.kind { _ = try await RetryFixture.run(transfer, clock) } == .connectionFailed)
    #expect(stub.requestCount == 2)
    #expect(transfer.attempts.map(\.maybeProcessed) == [true])
  }

  @Test func `the loader's word on what is idempotent counts`() async throws {
    var options = RequestOptions()
    options.isIdempotent = true
    var configuration = Transfer<String>.Configuration(
      Fixture.request(.post), to: .memory(limit: 9), settings: Fixture.settings(clock: clock)
    ) { _ in "" }
    configuration.retry = policy
    let stub = StubTransport(.text("no", status: .serviceUnavailable))
    _ = try await RetryFixture.run(Transfer(Loader(stub, options: options), configuration), clock)
    #expect(stub.requestCount == 4)
  }

  @Test func `a body that is gone ends it with what went wrong, without a wait`() async throws {
    let body = Body.stream(AsyncStream<Data> { $0.finish() }, length: 0)
    let transfer = RetryFixture.transfer(
      StubTransport(.failing(Fixture.lost(.connectionFailed, maybeProcessed: false))), policy,
      Fixture.request(.put, body: body), clock: clock)
    #expect(await Fixture.kind { _ = try await transfer.run() } == .connectionFailed)
    #expect(transfer.totalTime == .zero)
  }

  @Test func `a wait that would pass the deadline is not begun`() async throws {
    let stub = StubTransport(.text("no", status: .serviceUnavailable))
    let transfer = RetryFixture.transfer(stub, policy, clock: clock) { [clock] configuration in
      configuration.settings?.deadline = clock.now.advanced(by: .seconds(25))
    }
    transfer.start()
    for _ in 0..<2 {
      // The deadline sleeps as well.
      try await clock.waitForSleepers(2)
      clock.advance(by: .seconds(10))
    }
    #expect(try await transfer.value == "no")
    #expect(stub.requestCount == 3)
  }

  @Test func `resuming is not trying again`() async throws {
    var policy = policy
    policy.limit = 0
    let gate = ManualGate()
    let stub = StubTransport(
      StubAnswer(body: [.bytes(Data("he".utf8)), .wait { try await gate.wait() }, .bytes(Data("llo".utf8))]))
    let transfer = RetryFixture.transfer(stub, policy, clock: clock) { $0.pausing = .release(after: .zero) }
    transfer.start()
    for round in 1...3 {
      try await gate.waitForArrivals(round)
      transfer.pause()
      await Fixture.wait(while: stub.inFlightCount > 0)
      transfer.resume()
    }
    gate.open()
    #expect(try await transfer.value == "hello")
    #expect(transfer.attempts.map(\.retries) == [0, 0, 0, 0])
    #expect(transfer.attempts.map(\.reason) == [.first, .resumption, .resumption, .resumption])
  }
}
