public import FoundationEssentials

/// The code of an item's work, registered under a name in `ComponentNames`.
///
/// A job runs at least once: a worker that dies after the work and before its record leaves the item to the next one. What must
/// not happen twice is done after `BatchJobContext.confirm`, and checked against its note.
public struct BatchJob: Sendable {
  let run: @Sendable (BatchJobContext) async throws -> BatchProduct

  /// Creates a job.
  ///
  /// - Parameter run: Does the work. Its task is cancelled when the item is paused or cancelled or when the lease is lost; after a
  ///   pause it is called again. What it throws is the item's failure, unless it is tried again.
  public init(_ run: @escaping @Sendable (BatchJobContext) async throws -> BatchProduct) { self.run = run }
}

/// What a job knows of its item, and how it talks to the store.
public struct BatchJobContext: Sendable {
  /// The lease, with the item.
  public let lease: BatchLease
  let reporting: @Sendable (_ completed: Int64, _ total: Int64?) -> Void
  let confirming: @Sendable (_ note: Data?) async throws -> Void

  /// Tells how far the work is.
  ///
  /// - Parameters:
  ///   - completed: How many bytes are done.
  ///   - total: How many there are; nil when that is not known.
  public func report(completed: Int64, of total: Int64?) { reporting(completed, total) }

  /// Checks in the store that the lease still holds, and lengthens it. Call it directly before what must not happen twice.
  ///
  /// - Parameter note: Kept with the item, at most `BatchLimits.inputBytes` bytes; the next worker of the item gets it in
  ///   `BatchLease.note` and can see from it what was about to happen. Nil leaves the note as it is.
  /// - Throws: `BatchError` of kind `leaseLost`; `CancellationError` when the item is paused or cancelled.
  public func confirm(note: Data? = nil) async throws { try await confirming(note) }
}
