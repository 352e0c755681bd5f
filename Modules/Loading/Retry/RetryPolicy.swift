/// Whether, when and how often a transfer tries again after an attempt.
///
/// A value that `Transfer` executes. An attempt contains everything up to the decoded value, so that a cut body, a wrong
/// digest and a text that does not parse are failures of the attempt like a refused connection. After one that failed, or
/// whose status says so, another follows when all of this holds:
/// - `limit` allows one more, and the whole, wait included, stays within `budget` and the exchange's deadline;
/// - `conditions` name the status or the error, or the app's own `shouldRetry` wants it;
/// - sending again is safe: the method is idempotent, the request carries an `Idempotency-Key`, or the server certainly
///   saw nothing of it (`TransferAttempt.maybeProcessed`), unless `repeatsUnsafe` says that nothing of this matters;
/// - the body can be had again;
/// - `originBudget`, where there is one, has a token left for the server.
///
/// The wait is the longer one of `delay` and of what the server asks for in `Retry-After`. Cancelling ends it at once.
///
/// ```swift
/// var configuration = Transfer.Configuration(request, to: .memory(limit: 1 << 20)) { $0 }
/// configuration.retry = RetryPolicy(limit: 3, budget: .seconds(60))
/// ```
public struct RetryPolicy: Sendable {
  /// How many attempts may follow the first, 0…; nil is any number. Resuming a paused transfer counts as none.
  public var limit: Int?
  /// How long the whole may take, from the first attempt's start on a clock that never jumps; nil is for ever.
  ///
  /// Another attempt is made only when it begins before that. One that runs is not cut: that is what timeouts and the
  /// exchange's deadline are for. Time spent paused counts.
  public var budget: Duration?
  /// Whether the wait counts when the budget is compared; false compares at the end of the attempt before it.
  public var budgetCountsWait = true
  /// How long to wait.
  public var delay: RetryDelay
  /// The longest `Retry-After` that is waited for; one that asks for more ends the transfer. Nil ignores the field.
  public var retryAfterLimit: Duration? = .seconds(300)
  /// After which statuses and errors.
  public var conditions = RetryConditions()
  /// Whether requests are repeated that the server may then act on twice.
  public var repeatsUnsafe = false
  /// Makes the `Idempotency-Key` of requests whose method is not idempotent; nil adds none.
  ///
  /// Called once for each transfer; all its attempts carry the same key. One the app has set in the first is kept, and
  /// carried by all.
  public var idempotencyKey: (@Sendable () -> String)?
  /// What all transfers to one server may spend on trying again; nil is no such limit.
  public var originBudget: RetryBudget?
  /// Where chance comes from: 0…1, the system's generator unless set.
  public var random: @Sendable () -> Double = { .random(in: 0...1) }

  /// Makes a policy.
  ///
  /// - Parameters:
  ///   - limit: How many attempts may follow the first; nil is any number, and less than 0 is none.
  ///   - delay: How long to wait.
  ///   - budget: How long the whole may take; nil is for ever.
  public init(
    limit: Int? = 3, delay: RetryDelay = .exponential(first: .milliseconds(500), limit: .seconds(30)),
    budget: Duration? = nil
  ) {
    self.limit = limit
    self.delay = delay
    self.budget = budget
  }
}

/// What the app says to trying again.
public enum RetryDecision: Sendable, Hashable {
  /// What the policy proposes; without a policy the outcome stands.
  case byPolicy
  /// The attempt's outcome is the transfer's.
  case finish
  /// Try again after the policy's wait; without a policy at once.
  case again
  /// Try again after a wait of the app's own; zero and less is at once.
  case retry(after: Duration)
}
