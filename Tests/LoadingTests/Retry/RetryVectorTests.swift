import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// FWURLSessionManager's numbers, by a clock that stands still.
@Suite(.timeLimit(.minutes(10))) struct RetryVectorTests {
  /// `retries` and `interval` and `budget` as the policy gets them, how long an attempt takes, and what comes of it.
  struct Vector: CustomTestStringConvertible, Sendable {
    var retries: Int
    var interval: Int
    var budget: Int
    var attempt: Int
    var starts: [Int]
    var total: Int
    var testDescription: String { "\(retries) retries, every \(interval) s, within \(budget) s, of \(attempt) s" }

    init(_ retries: Int, _ interval: Int, _ budget: Int, _ attempt: Int, starts: [Int], total: Int) {
      self.retries = retries
      self.interval = interval
      self.budget = budget
      self.attempt = attempt
      self.starts = starts
      self.total = total
    }
  }

  static let withInterval = [
    Vector(0, 1, 0, 1, starts: [0], total: 1),
    Vector(3, 0, 0, 1, starts: [0, 1, 2, 3], total: 4),
    Vector(3, 2, 0, 1, starts: [0, 3, 6, 9], total: 10),
    Vector(10, 2, 5, 1, starts: [0, 3, 6], total: 7),
    Vector(-1, 0, 5, 1, starts: [0], total: 1),
  ]

  static let withBlock = [
    Vector(0, 1, 0, 1, starts: [0], total: 1),
    Vector(3, 0, 0, 1, starts: [0, 1, 2, 3], total: 4),
    Vector(3, 2, 0, 1, starts: [0, 3, 6, 9], total: 10),
    Vector(10, 2, 5, 1, starts: [0, 3], total: 4),
    Vector(-1, 0, 5, 1, starts: [0, 1, 2, 3, 4], total: 5),
  ]

  private let clock = ManualClock()

  private func check(_ vector: Vector, _ policy: RetryPolicy) async throws {
    let begin = clock.now
    let starts = Collected<Duration>()
    let stub = StubTransport { [clock] _ in
      starts.append(begin.duration(to: clock.now))
      clock.advance(by: .seconds(vector.attempt))
      return .text("no", status: .notFound)
    }
    let transfer = RetryFixture.transfer(stub, policy, clock: clock)
    #expect(try await RetryFixture.run(transfer, clock) == "no")
    #expect(starts.all == vector.starts.map { .seconds($0) })
    #expect(transfer.attemptCount == vector.starts.count)
    #expect(transfer.attempts.count == vector.starts.count)
    #expect(transfer.totalTime == .seconds(vector.total))
  }

  @Test(arguments: withInterval)
  func `with an interval the wait does not count in the budget`(vector: Vector) async throws {
    try await check(
      vector,
      .urlSessionManager(
        retryCount: vector.retries, retryInterval: .seconds(vector.interval), timeoutInterval: .seconds(vector.budget)))
  }

  @Test(arguments: withBlock)
  func `with a block it does, and a negative count is any number`(vector: Vector) async throws {
    let counts = Collected<Int>()
    try await check(
      vector,
      .urlSessionManager(retryCount: vector.retries, timeoutInterval: .seconds(vector.budget)) { count in
        counts.append(count)
        return .seconds(vector.interval)
      })
    #expect(counts.all == Array(1...vector.starts.count).prefix(counts.all.count).map { $0 })
  }

  @Test func `a success at the second attempt ends it there, with both counted`() async throws {
    let stub = StubTransport { [clock] asked in
      clock.advance(by: .seconds(1))
      return asked.index == 0 ? .failing(Fixture.lost(.protocolViolation)) : .text("yes")
    }
    let policy = RetryPolicy.urlSessionManager(retryCount: 5, retryInterval: .seconds(3))
    let transfer = RetryFixture.transfer(stub, policy, clock: clock)
    #expect(try await RetryFixture.run(transfer, clock) == "yes")
    #expect(transfer.attemptCount == 2)
    #expect(transfer.totalTime == .seconds(5))
    #expect(transfer.attempts.map(\.waited) == [.zero, .seconds(3)])
    clock.advance(by: .seconds(100))
    #expect(transfer.totalTime == .seconds(5))
  }

  @Test func `a connection that fails is counted as well, and the last error is told`() async throws {
    let stub = StubTransport { [clock] _ in
      clock.advance(by: .seconds(1))
      return .failing(Fixture.lost(.connectionFailed, maybeProcessed: false))
    }
    let policy = RetryPolicy.urlSessionManager(retryCount: 2, retryInterval: .seconds(1))
    let transfer = RetryFixture.transfer(stub, policy, clock: clock)
    #expect(await Fixture.kind { _ = try await RetryFixture.run(transfer, clock) } == .connectionFailed)
    #expect(transfer.attemptCount == 3)
    #expect(transfer.totalTime == .seconds(5))
    #expect(transfer.attempts.allSatisfy { ($0.error as? NetworkError)?.kind == .connectionFailed })
  }

  @Test func `the wall clock's jumps change nothing`() async throws {
    let stub = StubTransport { [clock] asked in
      clock.advance(by: .seconds(1))
      clock.setDate(clock.date.addingTimeInterval(asked.index == 0 ? 86_400 : -86_400))
      return .text("no", status: .notFound)
    }
    let policy = RetryPolicy.urlSessionManager(
      retryCount: 9, retryInterval: .seconds(1), timeoutInterval: .seconds(4))
    let transfer = RetryFixture.transfer(stub, policy, clock: clock)
    _ = try await RetryFixture.run(transfer, clock)
    #expect(transfer.attemptCount == 3)
  }

  @Test func `of two answers to one question the first counts`() async throws {
    for first in [true, false] {
      let stub = StubTransport(.text("no", status: .notFound))
      let transfer = RetryFixture.transfer(
        stub, .urlSessionManager(retryCount: 1, retryInterval: .zero), clock: clock
      ) { configuration in
        configuration.askToRetry { response, value, error, reply in
          #expect(response?.status.code == 404 && value == "no" && error == nil)
          reply(first)
          reply(!first)
          reply(true)
        }
      }
      _ = try await RetryFixture.run(transfer, clock)
      #expect(transfer.attemptCount == (first ? 2 : 1))
    }
  }

  @Test func `an answer may come late and from elsewhere, and one that never comes is a no`() async throws {
    let late = Collected<RetryReply>()
    let transfer = RetryFixture.transfer(
      StubTransport(.text("no")), .urlSessionManager(retryCount: 1, retryInterval: .zero), clock: clock
    ) { $0.askToRetry { _, _, _, reply in late.append(reply) } }
    transfer.start()
    await Fixture.wait(while: late.all.isEmpty)
    late.all.first?(true)
    _ = try await transfer.value
    #expect(transfer.attemptCount == 2)

    let forgetful = RetryFixture.transfer(
      StubTransport(.text("no")), .urlSessionManager(retryCount: 1, retryInterval: .zero), clock: clock
    ) { $0.askToRetry { _, _, _, _ in } }
    #expect(try await forgetful.run() == "no")
    #expect(forgetful.attemptCount == 1)
  }

  @Test func `cancelling before an answer comes ends it, once, with a cancellation`() async throws {
    let held = Collected<RetryReply>()
    let ends = Collected<String>()
    let transfer = RetryFixture.transfer(
      StubTransport(.text("no")), .urlSessionManager(retryCount: 1, retryInterval: .zero), clock: clock
    ) { $0.askToRetry { _, _, _, reply in held.append(reply) } }
    transfer.onFinish(on: .serial()) { ends.append("\($0)") }
    transfer.start()
    await Fixture.wait(while: held.all.isEmpty)
    transfer.cancel()
    await transfer.settled()
    held.all.first?(true)
    await Fixture.wait(while: ends.all.isEmpty)
    #expect(ends.all == ["cancelled"])
    #expect(transfer.attemptCount == 1)
  }

  @Test func `what a server may act on twice is not repeated unless said so`() async throws {
    for repeatsUnsafe in [false, true] {
      let policy = RetryPolicy.urlSessionManager(
        retryCount: 1, retryInterval: .zero, repeatsUnsafe: repeatsUnsafe)
      let transfer = RetryFixture.transfer(
        StubTransport(.text("no", status: .internalServerError)), policy, Fixture.request(.post), clock: clock)
      _ = try await RetryFixture.run(transfer, clock)
      #expect(transfer.attemptCount == (repeatsUnsafe ? 2 : 1))
    }
  }
}
