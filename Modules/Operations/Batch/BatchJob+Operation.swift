public import CurlewBatch
import CurlewCore
import Foundation

extension BatchJob {
  /// Runs an operation of this module as an item of a batch.
  ///
  /// The operation is started by the batch and belongs to no queue: the batch's limits and priorities hold for it. Pausing or
  /// cancelling the item cancels the operation; a paused item makes another one when it is resumed. Its bytes are those that it has
  /// downloaded.
  ///
  /// - Parameter make: Makes the operation, for each run another one.
  public static func operation(
    _ make: @escaping @Sendable (BatchJobContext) async throws -> URLConnectionOperation
  ) -> BatchJob {
    BatchJob { context in
      let operation = try await make(context)
      try Task.checkCancellation()
      operation.start()
      _ = try await operation.value
      return BatchProduct(bytes: operation.downloadProgress.completed)
    }
  }
}
