import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import Testing

/// What happened, in order.
private final class Order: Sendable {
  private let values = Guarded<[Int]>([])
  func append(_ value: Int) { values.withLock { $0.append(value) } }
  var all: [Int] { values.withLock { $0 } }
}

@Suite struct ManualClockTests {
  @Test func `sleepers wake in the order of their deadlines`() async throws {
    let clock = ManualClock()
    let start = clock.now
    let order = Order()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for seconds in [3, 1, 2] {
        group.addTask {
          try await clock.sleep(until: start.advanced(by: .seconds(seconds)))
          order.append(seconds)
        }
      }
      try await clock.waitForSleepers(3)
      #expect(clock.untilNextSleeper == .seconds(1))
      for woken in 1...3 {
        #expect(clock.advanceToNextSleeper())
        while order.all.count < woken { await Task.yield() }
      }
      try await group.waitForAll()
    }
    #expect(order.all == [1, 2, 3])
    #expect(start.duration(to: clock.now) == .seconds(3))
    #expect(!clock.advanceToNextSleeper())
  }

  @Test func `a sleep whose time has come returns at once`() async throws {
    let clock = ManualClock()
    try await clock.sleep(until: clock.now)
    #expect(clock.sleeperCount == 0)
  }

  @Test func `a cancelled sleep throws and leaves no sleeper`() async throws {
    let clock = ManualClock()
    let sleeping = Task { try await clock.sleep(until: clock.now.advanced(by: .seconds(1))) }
    try await clock.waitForSleepers(1)
    sleeping.cancel()
    await #expect(throws: CancellationError.self) { try await sleeping.value }
    #expect(clock.sleeperCount == 0)
  }

  @Test func `the wall clock moves with the time and can be set apart from it`() {
    let clock = ManualClock(date: Date(timeIntervalSince1970: 100))
    let start = clock.now
    clock.advance(by: .milliseconds(2500))
    #expect(clock.date == Date(timeIntervalSince1970: 102.5))
    clock.setDate(Date(timeIntervalSince1970: 5))
    clock.advance(by: .seconds(-7))
    #expect(clock.date == Date(timeIntervalSince1970: 5))
    #expect(start.duration(to: clock.now) == .milliseconds(2500))
  }

  @Test func `a gate holds everyone until it is opened`() async throws {
    let gate = ManualGate()
    let waiting = Task { try await gate.wait() }
    let given = Task { try await gate.wait() }
    try await gate.waitForArrivals(2)
    given.cancel()
    await #expect(throws: CancellationError.self) { try await given.value }
    gate.open()
    try await waiting.value
    try await gate.wait()
  }
}
