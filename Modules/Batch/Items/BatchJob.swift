public import FoundationEssentials

/// The code of an item's work, registered under a name in `ComponentNames`.
///
/// A job runs at least once: if a worker dies after the work and before its result is stored, the next worker repeats it. An
/// action that must not be repeated belongs after `BatchJobContext.confirm`, and should be checked against its note.
public struct BatchJob: Sendable {
  let run: @Sendable (BatchJobContext) async throws -> BatchProduct

  /// Creates a job.
  ///
  /// - Parameter run: Does the work. Its task is cancelled when the item is paused or cancelled, or when the lease is lost;
  ///   after a pause it is called again. Its error is the failure of the item, unless the item is retried.
  public init(_ run: @escaping @Sendable (BatchJobContext) async throws -> BatchProduct) { self.run = run }
}

/// A job's view of its item, with its access to the store.
public struct BatchJobContext: Sendable {
  /// The lease, with the item.
  public let lease: BatchLease
  let reporting: @Sendable (_ completed: Int64, _ total: Int64?) -> Void
  let confirming: @Sendable (_ note: Data?) async throws -> Void

  /// Reports the progress of the work.
  ///
  /// - Parameters:
  ///   - completed: The number of bytes that are done.
  ///   - total: The total number of bytes; nil if it is unknown.
  public func report(completed: Int64, of total: Int64?) { reporting(completed, total) }

  /// Checks in the store that the lease is still valid, and extends it.
  ///
  /// Call it directly before an action that must not be repeated.
  ///
  /// - Parameter note: Data to keep with the item, at most `BatchLimits.inputBytes` bytes. The next worker of the item reads
  ///   it in `BatchLease.note`, and can tell which action was about to happen. Nil keeps the previous note.
  /// - Throws: `BatchError` of kind `leaseLost`; `CancellationError` when the item is paused or cancelled.
  public func confirm(note: Data? = nil) async throws { try await confirming(note) }
}

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
