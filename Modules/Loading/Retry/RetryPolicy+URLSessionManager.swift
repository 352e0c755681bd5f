extension RetryPolicy {
  /// FWURLSessionManager's contract with an interval: its generation 4.0 to 4.8.
  ///
  /// Every error and every status but 2xx is tried again, `Retry-After` is not looked at, and the wait does not count when
  /// the budget is compared. Four things are as they should have been: cancellation is never tried again and ends the
  /// transfer at any moment, the budget is measured on a clock that does not jump, what the server may act on twice is
  /// not repeated unless said so, and of several answers to one question the first counts.
  ///
  /// - Parameters:
  ///   - retryCount: How many attempts may follow the first; negative is none.
  ///   - retryInterval: How long to wait.
  ///   - timeoutInterval: How long the whole may take; zero and less is for ever.
  ///   - repeatsUnsafe: Whether POST and its like are repeated as well.
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

  /// FWURLSessionManager's contract with a block: its generation 4.9 and later.
  ///
  /// As with an interval, but the wait counts when the budget is compared, and a negative count is any number.
  ///
  /// - Parameters:
  ///   - retryCount: How many attempts may follow the first; negative is any number.
  ///   - timeoutInterval: How long the whole may take; zero and less is for ever.
  ///   - repeatsUnsafe: Whether POST and its like are repeated as well.
  ///   - retryInterval: How long to wait, after so many attempts, 1….
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
