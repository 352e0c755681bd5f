import CurlewCore
import CurlewTestSupport
import Testing

@testable import CurlewLoading

@Suite(.timeLimit(.minutes(10))) struct RetryDelayTests {
  private static func wait(_ delay: RetryDelay, retries: Int, random: Double) -> Duration {
    delay.wait(after: RetryPolicyTests.attempt(503, retries: retries)) { random }
  }

  @Test func `the bound of a random wait doubles up to its limit`() {
    let delay = RetryDelay.exponential(first: .seconds(1), limit: .seconds(30))
    let bounds = (0..<8).map { Self.wait(delay, retries: $0, random: 1) }
    #expect(bounds == [1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
    #expect(Self.wait(delay, retries: 3, random: 0) == .zero)
    #expect(Self.wait(delay, retries: 3, random: 0.25) == .seconds(2))
  }

  @Test func `waits fill the whole range, by the randomness that was handed in`() {
    var random = SeededRandom(seed: 7)
    let delay = RetryDelay.exponential(first: .seconds(8), limit: .seconds(8))
    let waits = (0..<1_000).map { _ in
      Self.wait(delay, retries: 0, random: .random(in: 0...1, using: &random))
    }
    for quarter in 0..<4 {
      let low = Duration.seconds(quarter * 2)
      #expect((200...300).contains(waits.count { $0 >= low && $0 < low + .seconds(2) }))
    }
  }

  @Test func `no number makes it trap`() {
    for first: Duration in [.seconds(Int64.max), .seconds(-5), .zero, .nanoseconds(1)] {
      for limit: Duration in [.seconds(Int64.max), .seconds(-5), .seconds(1)] {
        for random in [0, 1, -1, 2, Double.nan, .infinity] {
          let wait = Self.wait(.exponential(first: first, limit: limit), retries: .max, random: random)
          #expect(wait >= .zero && wait <= .seconds(Int64(1) << 31))
        }
      }
    }
    #expect(Self.wait(.fixed(.seconds(-3)), retries: 0, random: 0) == .zero)
    #expect(Self.wait(.custom { _ in .seconds(Int64.max) }, retries: 0, random: 0) == .seconds(Int64(1) << 31))
  }

  @Test func `the app's own wait sees the attempt`() {
    let delay = RetryDelay.custom { .seconds($0.retries * 10) }
    #expect(Self.wait(delay, retries: 3, random: 0) == .seconds(30))
  }
}
