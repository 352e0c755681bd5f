import CurlewCore

/// How long a transfer waits before it tries again.
public enum RetryDelay: Sendable {
  /// The same delay each time; zero and negative values mean no delay.
  case fixed(Duration)
  /// A random delay between zero and a bound that doubles with each retry.
  ///
  /// The bound is `first`, then twice that, and so on, up to `limit`.
  ///
  /// This keeps clients that failed together from retrying together ("full jitter").
  case exponential(first: Duration, limit: Duration)
  /// A delay from the app, based on the attempt that ended.
  ///
  /// Its `retries` is 0 at first.
  case custom(@Sendable (TransferAttempt) -> Duration)

  /// Returns the delay after an attempt, 0 to 68 years.
  func wait(after attempt: TransferAttempt, random: () -> Double) -> Duration {
    switch self {
    case .fixed(let duration): return duration.limited
    case .exponential(let first, let limit):
      let bound = Self.bound(first, limit, retries: attempt.retries)
      let chance = random()
      return chance >= 0 && chance <= 1 ? bound * chance : bound
    case .custom(let wait): return wait(attempt).limited
    }
  }

  /// Returns `first` doubled once per retry, at most `limit`.
  private static func bound(_ first: Duration, _ limit: Duration, retries: Int) -> Duration {
    let limit = limit.limited
    var bound = first.limited
    var left = retries
    while left > 0, bound > .zero, bound < limit {
      bound += bound
      left -= 1
    }
    return min(bound, limit)
  }
}
