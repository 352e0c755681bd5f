public import CurlewCore
import CurlewLoading

extension SessionTask {
  /// Reads the progress of a task, and its error at the end.
  ///
  /// It holds the task. Leaving the loop therefore cancels a task that only the loop has started and that nobody else holds.
  public struct ProgressIterator: AsyncIteratorProtocol {
    private let task: SessionTask
    private let progress: TransferProgressSequence
    private var snapshots: TransferProgressSequence.Iterator?
    private var isFinished = false

    init(_ task: SessionTask, _ progress: TransferProgressSequence) {
      self.task = task
      self.progress = progress
    }

    /// Returns the newest snapshot; nil when the task has succeeded.
    ///
    /// - Throws: The error of the task; `CancellationError` when it or the reading task was cancelled.
    public mutating func next() async throws -> TransferProgress? {
      guard !isFinished else { return nil }
      if snapshots == nil {
        task.core.startReading()
        snapshots = progress.makeAsyncIterator()
      }
      if let progress = await snapshots?.next() { return progress }
      isFinished = true
      _ = try await task.core.read().get()
      return nil
    }
  }
}
