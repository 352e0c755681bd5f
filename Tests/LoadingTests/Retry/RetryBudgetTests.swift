import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewLoading

@Suite(.timeLimit(.minutes(10))) struct RetryBudgetTests {
  private let clock = ManualClock()

  private func origin(_ host: String) throws -> Origin { try Origin(scheme: .http, host: host) }

  @Test func `a bucket begins full, empties with retries, and fills with time and success`() throws {
    let budget = RetryBudget(capacity: 2, perSuccess: 0.5, perSecond: 0.25)
    let here = try origin("a.test")
    var now = clock.now
    #expect(budget.take(here, at: now) && budget.take(here, at: now) && !budget.take(here, at: now))
    #expect(try budget.take(origin("b.test"), at: now))
    now += .seconds(4)
    #expect(budget.tokens(for: here, at: now) == 1)
    #expect(budget.take(here, at: now) && !budget.take(here, at: now))
    budget.succeed(here, at: now)
    #expect(!budget.take(here, at: now))
    budget.succeed(here, at: now)
    #expect(budget.take(here, at: now))
    #expect(budget.tokens(for: here, at: now + .seconds(3_600)) == 2)
    #expect(budget.tokens(for: here, at: now - .seconds(3_600)) == 0)
  }

  @Test func `numbers that are none allow nothing and trap nothing`() throws {
    let here = try origin("a.test")
    for number in [Double.nan, -1, 0, -Double.infinity] {
      let budget = RetryBudget(capacity: number, perSuccess: number, perSecond: number)
      #expect(!budget.take(here, at: clock.now))
      budget.succeed(here, at: clock.now)
    }
    let endless = RetryBudget(
      capacity: .greatestFiniteMagnitude, perSuccess: .greatestFiniteMagnitude, perSecond: .greatestFiniteMagnitude)
    #expect(endless.take(here, at: clock.now))
  }

  @Test func `of very many origins the emptiest buckets are remembered`() throws {
    let budget = RetryBudget(capacity: 2, perSuccess: 0, perSecond: 0)
    let bad = try origin("bad.test")
    _ = budget.take(bad, at: clock.now)
    _ = budget.take(bad, at: clock.now)
    for number in 0..<(RetryBudget.originLimit * 2) { _ = try budget.take(origin("h\(number).test"), at: clock.now) }
    #expect(!budget.take(bad, at: clock.now))
  }

  @Test func `all transfers to one server share it`() async throws {
    let budget = RetryBudget(capacity: 3, perSuccess: 1, perSecond: 0)
    var policy = RetryPolicy(limit: 5, delay: .fixed(.zero))
    policy.originBudget = budget
    let down = StubTransport(.text("no", status: .serviceUnavailable))
    for _ in 0..<4 {
      _ = try await RetryFixture.run(RetryFixture.transfer(down, policy, clock: clock), clock)
    }
    #expect(down.requestCount == 4 + 3)
    // A success gives a token back.
    let up = StubTransport(.text("yes"))
    _ = try await RetryFixture.run(RetryFixture.transfer(up, policy, clock: clock), clock)
    _ = try await RetryFixture.run(RetryFixture.transfer(down, policy, clock: clock), clock)
    #expect(down.requestCount == 4 + 3 + 2)
  }
}
