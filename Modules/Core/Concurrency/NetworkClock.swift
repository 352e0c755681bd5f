public import FoundationEssentials

/// Tells the time and waits; tests can replace it.
///
/// Everything in Curlew that measures, waits or compares dates uses a clock of this kind. `now` is monotonic, for
/// timeouts, budgets and metrics; `date` is the wall clock, used only where a protocol has dates (certificates,
/// cookies, caches, `Retry-After`). It is called from any isolation.
public protocol NetworkClock: Sendable {
  /// The current time of a monotonic clock.
  var now: ContinuousClock.Instant { get }
  /// The wall clock's time.
  var date: Date { get }
  /// Waits until `deadline` or slightly later.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  func sleep(until deadline: ContinuousClock.Instant) async throws
}

/// The machine's own clocks.
public struct SystemClock: NetworkClock {
  /// Creates an instance.
  public init() {}

  /// The continuous clock, which also advances while the machine sleeps.
  public var now: ContinuousClock.Instant { .now }

  /// The machine's wall clock.
  public var date: Date { Date() }

  /// Waits without blocking a thread.
  public func sleep(until deadline: ContinuousClock.Instant) async throws {
    // The runtime traps where a deadline is too far away for its own numbers.
    let now = now
    try await Task.sleep(until: now + now.left(until: deadline), clock: .continuous)
  }
}

extension NetworkClock where Self == SystemClock {
  /// The machine's own clocks.
  public static var system: SystemClock { SystemClock() }
}

extension Duration {
  /// The duration, from zero to about 68 years.
  ///
  /// Durations that an app or a server chooses are limited before they are added to an instant or converted to a number, because
  /// both trap on an overflow.
  package var limited: Duration { min(max(self, .zero), .seconds(Int64(1) << 31)) }
}

extension ContinuousClock.Instant {
  /// Returns the time until a deadline, from zero to about 68 years.
  package func left(until deadline: ContinuousClock.Instant) -> Duration {
    // The order matters: the distance to an instant far in the past can overflow.
    deadline > self ? duration(to: deadline).limited : .zero
  }
}
