import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewLoading

/// Attempts that are made because something else has to be asked for.
@Suite(.timeLimit(.minutes(10))) struct RestartTests {
  private let clock = ManualClock()

  private func transfer(
    _ stub: StubTransport, _ policy: RetryPolicy?, _ request: Request = Fixture.request(),
    observer: RecordingObserver? = nil, _ decide: @escaping @Sendable (TransferAttempt) -> RetryDecision
  ) -> Transfer<String> {
    var configuration = Transfer<String>.Configuration(
      request, to: .memory(limit: 1_000), settings: Fixture.settings(clock: clock, observer: observer)
    ) { String(decoding: $0.content.data ?? Data(), as: UTF8.self) }
    configuration.retry = policy
    configuration.shouldRetry = { attempt, _ in decide(attempt) }
    return Transfer(Loader(stub), configuration)
  }

  @Test func `a restart takes no token, no retry and no time`() async throws {
    var policy = RetryPolicy(limit: 0, delay: .fixed(.seconds(10)), budget: .zero)
    let budget = RetryBudget(capacity: 1, perSuccess: 0, perSecond: 0)
    policy.originBudget = budget
    let stub = StubTransport(script: [.text("old"), .text("older"), .text("new")])
    let transfer = transfer(stub, policy) { $0.number < 3 ? .restart : .byPolicy }
    #expect(try await transfer.run() == "new")
    #expect(transfer.attempts.map(\.reason) == [.first, .restart, .restart])
    #expect(transfer.attempts.map(\.retries) == [0, 0, 0])
    let origin = try Origin(Fixture.url)
    #expect(budget.tokens(for: origin, at: clock.now) == 1)
    #expect(transfer.totalTime == .zero)
  }

  @Test func `without a policy a restart is made too, and observers are told why`() async throws {
    let stub = StubTransport(script: [.failing(Fixture.lost(.protocolViolation)), .text("new")])
    let observer = RecordingObserver()
    let transfer = transfer(stub, nil, observer: observer) { $0.error == nil ? .byPolicy : .restart }
    #expect(try await transfer.run() == "new")
    #expect(transfer.attempts.map(\.reason) == [.first, .restart])
    let told = observer.events.compactMap { event -> (Int, Duration, NetworkError.Kind?)? in
      guard case .retrying(let attempt, let wait, let error) = event.kind else { return nil }
      return (attempt, wait, (error as? NetworkError)?.kind)
    }
    #expect(told.count == 1 && told.first.map { $0 == (2, .zero, .protocolViolation) } == true)
  }

  @Test func `at most eight restarts follow each other without a byte`() async throws {
    let silent = StubTransport(.failing(Fixture.lost(.protocolViolation)))
    let failing = transfer(silent, nil) { _ in .restart }
    #expect(await Fixture.kind { _ = try await failing.run() } == .protocolViolation)
    #expect(failing.attemptCount == 9)
    let talking = StubTransport(.text("no"))
    let many = transfer(talking, nil) { $0.number < 30 ? .restart : .finish }
    #expect(try await many.run() == "no")
    #expect(many.attemptCount == 30)
  }

  @Test func `under a policy no restart sends twice what may be sent once`() async throws {
    let stub = StubTransport(.text("no"))
    let post = transfer(stub, RetryPolicy(), Fixture.request(.post, body: .text("pay"))) { _ in .restart }
    #expect(try await post.run() == "no")
    #expect(stub.requestCount == 1)
  }

  @Test func `FWURLSessionManager's question is not asked where no retry is allowed`() async throws {
    let asked = Collected<Int>()
    var configuration = Transfer<TransferResult>.Configuration(
      Fixture.request(), to: .memory(limit: 9), settings: Fixture.settings(clock: clock)
    ) { $0 }
    configuration.retry = RetryPolicy(limit: 1, delay: .fixed(.zero))
    configuration.askToRetry { head, _, _, reply in
      asked.append(head?.status.code ?? 0)
      reply(true)
    }
    _ = try await Transfer(Loader(StubTransport(.text("no"))), configuration).run()
    #expect(asked.all == [200])
  }

  @Test func `a transfer that gets farther in each attempt goes on, and ends when it does not`() async throws {
    // Each connection brings ten bytes of a hundred, from where the one before was cut.
    let answer: @Sendable (StubTransport.Asked) -> StubAnswer = { asked in
      StubAnswer(body: [.bytes(Data(count: asked.index < 10 ? 10 : 0)), .failure(Fixture.lost(.truncatedBody))])
    }
    for (startsOver, attempts) in [(true, 10 + 2), (false, 3)] {
      var policy = RetryPolicy(limit: 2, delay: .fixed(.zero))
      policy.startsOverWithProgress = startsOver
      let sink = GrowingSink()
      var configuration = Transfer<TransferResult>.Configuration(Fixture.request(), to: sink) { $0 }
      configuration.retry = policy
      let transfer = Transfer(Loader(StubTransport { answer($0) }), configuration)
      #expect(await Fixture.kind { _ = try await transfer.run() } == .truncatedBody)
      #expect(transfer.attemptCount == attempts)
    }
  }

  @Test func `bytes that came before are no progress`() async throws {
    // A sink that begins anew gets the same ten bytes each time.
    let stub = StubTransport(StubAnswer(body: [.bytes(Data(count: 10)), .failure(Fixture.lost(.truncatedBody))]))
    var policy = RetryPolicy(limit: 2, delay: .fixed(.zero))
    policy.startsOverWithProgress = true
    let transfer = transfer(stub, policy) { _ in .byPolicy }
    #expect(await Fixture.kind { _ = try await transfer.run() } == .truncatedBody)
    #expect(transfer.attempts.map(\.madeProgress) == [true, false, false])
  }
}

/// A sink that goes on where the attempt before stopped.
private struct GrowingSink: TransferSink {
  let pieces = Collected<Int64>()

  func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter {
    Writer(pieces)
  }

  private final class Writer: TransferWriter {
    let pieces: Collected<Int64>
    let offset: Int64

    init(_ pieces: Collected<Int64>) {
      self.pieces = pieces
      offset = pieces.all.reduce(0, +)
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
      pieces.append(Int64(bytes.count))
      return .more
    }
    func finish() async throws -> TransferContent { .taken }
  }
}
