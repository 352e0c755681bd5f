/// Thrown by a job that failed and is to be tried again: the item gives back its place and becomes ready after a time.
///
/// A job decides by `BatchLease.retries` when that is enough. Downloads and requests are retried within their job, by a `RetryPolicy`.
public struct BatchTryAgain: Error, Sendable {
  /// How long to wait, zero or more.
  public var delay: Duration

  /// Creates the error.
  public init(after delay: Duration) { self.delay = delay }
}
