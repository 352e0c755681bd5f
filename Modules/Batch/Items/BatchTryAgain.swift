/// The error that a job throws to be retried after a delay.
///
/// The item gives back its place, and becomes ready again when the delay has passed.
///
/// A job can read `BatchLease.retries` to decide when to give up. Downloads and requests do not need this error: they retry
/// within their job, according to a `RetryPolicy`.
public struct BatchTryAgain: Error, Sendable {
  /// The time to wait before the next attempt, zero or more.
  public var delay: Duration

  /// Creates the error.
  public init(after delay: Duration) { self.delay = delay }
}
