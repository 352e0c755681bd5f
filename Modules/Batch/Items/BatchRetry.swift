/// The error that a job throws to be retried after a delay.
///
/// The item gives back its place, and becomes ready again when the delay has passed.
///
/// A job can read `BatchLease.retries` to decide when to give up. Downloads and requests repeat failed attempts within their
/// job, according to a `RetryPolicy`.
public struct BatchRetry: Error, Sendable {  // No message because it is a request, which a worker catches.
  /// The time to wait before the next attempt, zero or more.
  public var delay: Duration

  /// Creates the error.
  public init(after delay: Duration) { self.delay = delay }

  /// Creates the error of a job that cannot begin because an earlier worker of its item has not ended yet.
  ///
  /// Such a worker has lost its lease, for example because its process was stopped, and still holds the lock of a file. The
  /// delays double from 1 to 30 seconds.
  ///
  /// - Returns: Nil after twelve retries of the item, about four minutes.
  public init?(waitingForEarlierWorkerOf lease: BatchLease) { self.init(retrying: lease) }

  /// Creates the error of a job whose server sends nothing any more (`idleTimedOut`).
  ///
  /// The item gives its place to others instead of stalling on it, and is tried again later. The delays double from 1 to 30
  /// seconds.
  ///
  /// - Returns: Nil after twelve retries of the item.
  public init?(afterStallOf lease: BatchLease) { self.init(retrying: lease) }

  private init?(retrying lease: BatchLease) {
    guard lease.retries < 12 else { return nil }
    self.init(after: .seconds(min(30, 1 << max(0, lease.retries))))
  }
}
