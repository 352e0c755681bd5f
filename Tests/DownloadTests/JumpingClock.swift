import CurlewCore
import FoundationEssentials

/// The machine's clocks on a machine that sleeps, and whose date somebody sets.
final class JumpingClock: NetworkClock {
  private let ahead = Guarded<(time: Duration, date: TimeInterval)>((.zero, 0))

  var now: ContinuousClock.Instant { .now + ahead.withLock { $0.time } }
  var date: Date { Date(timeIntervalSinceNow: ahead.withLock { $0.date }) }

  /// Passes over some time, and sets the date forwards or back.
  func jump(_ time: Duration, date: TimeInterval) {
    ahead.withLock { ahead in
      ahead.time += time
      ahead.date += date
    }
  }

  // Sleeps because the code under test asks for it; retries here ask for no delay.
  func sleep(until deadline: ContinuousClock.Instant) async throws {
    try await Task.sleep(until: deadline - ahead.withLock { $0.time }, clock: .continuous)
  }
}
