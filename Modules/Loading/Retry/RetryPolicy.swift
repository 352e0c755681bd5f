/// Decides whether, when and how often a transfer retries.
///
/// It is a value that `Transfer` executes. An attempt includes everything up to the decoded value, so a truncated body,
/// a wrong digest and a text that cannot be parsed are failures of an attempt, like a refused connection. After a
/// failure or a failing status, another attempt follows when all of these conditions hold:
/// - `limit` allows another attempt, and its start, after the delay, is within `budget` and the exchange's deadline.
/// - `conditions` include the status or the error, or the app's own `shouldRetry` asks for it.
/// - Repeating is safe: the method is idempotent, the request has an `Idempotency-Key`, or the server has certainly not
///   seen it (`TransferAttempt.maybeProcessed`). `repeatsUnsafe` lifts this condition.
/// - The body can be sent again.
/// - `originBudget`, if there is one, has a token for the server.
///
/// The delay is the longer one of `delay` and the server's `Retry-After`. Cancelling ends it at once.
///
/// ```swift
/// var configuration = Transfer.Configuration(request, to: .memory(limit: 1 << 20)) { $0 }
/// configuration.retry = RetryPolicy(limit: 3, budget: .seconds(60))
/// ```
public struct RetryPolicy: Sendable {
  /// How many attempts may follow the first, 0 or more; nil means no limit.
  ///
  /// Resuming a paused transfer does not count.
  public var limit: Int?
  /// Whether an attempt that made progress resets the count of retries.
  ///
  /// `limit` and `delay` then count the retries since the last progress, so that a long transfer over a bad line
  /// continues as long as it advances. It is meant for sinks that continue at an offset.
  public var startsOverWithProgress = false
  /// The total time from the start of the first attempt; nil means no limit.
  ///
  /// It limits when another attempt may start, on a monotonic clock. A running attempt is not interrupted; use timeouts
  /// and the exchange's deadline for that. Paused time counts.
  public var budget: Duration?
  /// Whether the delay counts against the budget; false compares before the delay.
  public var budgetCountsWait = true
  /// The delay before a retry.
  public var delay: RetryDelay
  /// The longest `Retry-After` to wait for; a longer one ends the transfer.
  ///
  /// Nil ignores the field. 300 seconds by default.
  public var retryAfterLimit: Duration? = .seconds(300)
  /// The statuses and errors that are retried.
  public var conditions = RetryConditions()
  /// Whether to repeat requests that the server may then process twice.
  public var repeatsUnsafe = false
  /// Creates the `Idempotency-Key` for methods that are not idempotent.
  ///
  /// Nil adds none.
  ///
  /// It is called once for each transfer, and all attempts carry the same key. A key that the app set in the first
  /// attempt is kept for all.
  public var idempotencyKey: (@Sendable () -> String)?
  /// The shared limit for retries to one server; nil means none.
  public var originBudget: RetryBudget?
  /// The source of randomness, 0 to 1; by default the system's generator.
  public var random: @Sendable () -> Double = { .random(in: 0...1) }

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - limit: How many attempts may follow the first; nil means no limit, and a negative value none.
  ///   - delay: The delay before a retry.
  ///   - budget: The total time; nil means no limit.
  public init(
    limit: Int? = 3, delay: RetryDelay = .exponential(first: .milliseconds(500), limit: .seconds(30)),
    budget: Duration? = nil
  ) {
    self.limit = limit
    self.delay = delay
    self.budget = budget
  }
}

/// The app's answer to the question whether to retry.
public enum RetryDecision: Sendable, Hashable {
  /// Follow the policy; without a policy the outcome is final.
  case byPolicy
  /// The attempt's outcome is final.
  case finish
  /// Retry after the policy's delay; without a policy at once.
  case again
  /// Retry after the app's own delay; zero and negative values mean at once.
  case retry(after: Duration)
  /// Start over at once with a different request.
  ///
  /// For example, a file has changed or a link has expired.
  ///
  /// It is not a retry and uses none of the policy's limits, budget or tokens. With a policy it is only made if
  /// repeating is safe and the body can be sent again. At most eight may follow each other without receiving any bytes
  /// of a body; after that the outcome is final.
  case restart
}
