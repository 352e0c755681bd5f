extension RetryPolicy {
  /// Creates the policy of FWURLSessionManager 4.0 to 4.8, with an interval.
  ///
  /// Every error and every status except 2xx is retried, `Retry-After` is ignored, and the delay does not count against
  /// the budget. Four faults of the original are corrected: cancellation is never retried and ends the transfer at any
  /// moment; the budget is measured with a monotonic clock; requests that the server may process twice are not repeated
  /// by default; and only the first answer to a question counts.
  ///
  /// - Parameters:
  ///   - retryCount: How many attempts may follow the first; a negative value means none.
  ///   - retryInterval: The delay.
  ///   - timeoutInterval: The time from the start of the first attempt, after which no other attempt begins. It interrupts no
  ///     attempt; set `Timeouts.total` for that. Zero and negative values mean no limit.
  ///   - repeatsUnsafe: Whether unsafe methods such as POST are repeated as well.
  public static func urlSessionManager(
    retryCount: Int, retryInterval: Duration, timeoutInterval: Duration = .zero, repeatsUnsafe: Bool = false
  ) -> RetryPolicy {
    var policy = RetryPolicy(
      limit: max(0, retryCount), delay: .fixed(retryInterval), budget: timeoutInterval > .zero ? timeoutInterval : nil)
    policy.budgetCountsWait = false
    policy.retryAfterLimit = nil
    policy.conditions = .anyFailure
    policy.repeatsUnsafe = repeatsUnsafe
    return policy
  }

  /// Creates the policy of FWURLSessionManager 4.9 and later, with a block.
  ///
  /// It differs from the one with an interval in two points: the delay counts against the budget, and a negative count
  /// means no limit.
  ///
  /// - Parameters:
  ///   - retryCount: How many attempts may follow the first; a negative value means no limit.
  ///   - timeoutInterval: The time from the start of the first attempt, after which no other attempt begins. It interrupts no
  ///     attempt; set `Timeouts.total` for that. Zero and negative values mean no limit.
  ///   - repeatsUnsafe: Whether unsafe methods such as POST are repeated as well.
  ///   - retryInterval: Returns the delay after this number of attempts, 1 or more.
  public static func urlSessionManager(
    retryCount: Int, timeoutInterval: Duration = .zero, repeatsUnsafe: Bool = false,
    retryInterval: @escaping @Sendable (_ requestCount: Int) -> Duration
  ) -> RetryPolicy {
    var policy = urlSessionManager(
      retryCount: retryCount, retryInterval: .zero, timeoutInterval: timeoutInterval, repeatsUnsafe: repeatsUnsafe)
    policy.limit = retryCount < 0 ? nil : retryCount
    policy.delay = .custom { attempt in retryInterval(attempt.retries + 1) }
    policy.budgetCountsWait = true
    return policy
  }
}
