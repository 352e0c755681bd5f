public import FoundationEssentials

/// Tells the time and waits, so that tests need neither.
///
/// Everything in Curlew that measures, waits or compares dates takes its time from here. `now` is monotonic and is what
/// timeouts, budgets and metrics use; `date` is the wall clock and is used only where a protocol speaks of dates
/// (certificates, cookies, caches, `Retry-After`). Called from any isolation.
public protocol NetworkClock: Sendable {
  /// A point on a clock that never jumps.
  var now: ContinuousClock.Instant { get }
  /// The wall clock's time.
  var date: Date { get }
  /// Returns at `deadline` or later.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  func sleep(until deadline: ContinuousClock.Instant) async throws
}

/// The machine's own clocks.
public struct SystemClock: NetworkClock {
  /// Makes a clock; all are alike.
  public init() {}

  /// The continuous clock, which goes on while the machine sleeps.
  public var now: ContinuousClock.Instant { .now }

  /// The wall clock, as the machine is set.
  public var date: Date { Date() }

  /// Waits without holding a thread.
  public func sleep(until deadline: ContinuousClock.Instant) async throws {
    try await Task.sleep(until: deadline, clock: .continuous)
  }
}

extension NetworkClock where Self == SystemClock {
  /// The machine's own clocks.
  public static var system: SystemClock { SystemClock() }
}
