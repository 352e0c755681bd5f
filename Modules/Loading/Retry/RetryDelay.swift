/// How long a transfer waits before it tries again.
public enum RetryDelay: Sendable {
  /// The same each time; zero and less is at once.
  case fixed(Duration)
  /// A random time between zero and a bound that doubles with each retry: `first`, twice that, … up to `limit`.
  ///
  /// Clients that failed together so do not come back together ("full jitter").
  case exponential(first: Duration, limit: Duration)
  /// The app's own, computed from the attempt that ended; `retries` in it is 0 after the first.
  case custom(@Sendable (TransferAttempt) -> Duration)

  /// The wait after an attempt, 0 to 68 years.
  func wait(after attempt: TransferAttempt, random: () -> Double) -> Duration {
    switch self {
    case .fixed(let duration): return TransferLimits.sensible(duration)
    case .exponential(let first, let limit):
      let bound = Self.bound(first, limit, retries: attempt.retries)
      let chance = random()
      return chance >= 0 && chance <= 1 ? bound * chance : bound
    case .custom(let wait): return TransferLimits.sensible(wait(attempt))
    }
  }

  /// `first` doubled so many times, at most `limit`.
  private static func bound(_ first: Duration, _ limit: Duration, retries: Int) -> Duration {
    let limit = TransferLimits.sensible(limit)
    var bound = TransferLimits.sensible(first)
    var left = retries
    while left > 0, bound > .zero, bound < limit {
      bound += bound
      left -= 1
    }
    return min(bound, limit)
  }
}
