public import CurlewBatch
import CurlewCore
import Foundation

extension BatchJob {
  /// Returns a job that runs an operation of this module as an item of a batch.
  ///
  /// The batch starts the operation. The operation must be in no queue, because the batch's limits and priorities apply to it.
  /// Pausing or cancelling the item cancels the operation, and a resumed item creates a new one. The product has the number of
  /// downloaded bytes and no output.
  ///
  /// - Parameter make: Creates the operation; it is called for each run and must return a new one.
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
