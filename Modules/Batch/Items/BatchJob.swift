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
