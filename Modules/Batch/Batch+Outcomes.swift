extension Batch: AsyncSequence {
  /// The result of one item.
  public typealias Element = BatchOutcome

  /// Starts the batch, and reads the results in the order in which items end.
  ///
  /// The sequence contains every result in the store, including results from other workers and from earlier processes.
  ///
  /// The sequence ends when every item has its result. Leaving the loop early does not stop the batch.
  public func makeAsyncIterator() -> Iterator {
    start()
    return Iterator(worker: worker)
  }

  /// Reads results one after the other, up to a hundred per call of the store.
  public struct Iterator: AsyncIteratorProtocol {
    let worker: BatchWorker
    private var page: [BatchOutcome] = []
    private var position: Int64 = 0

    init(worker: BatchWorker) { self.worker = worker }

    /// Returns the next result; nil when every item has one.
    ///
    /// - Throws: What the batch fails with: `BatchError` when the store fails, `CancellationError` when the worker was stopped.
    public mutating func next() async throws -> BatchOutcome? {
      while page.isEmpty {
        let hasEnded = worker.hasEnded
        let summary = try await worker.ask { [worker] in try await worker.store.summary() }
        page = try await worker.ask { [worker, position] in
          try await worker.store.outcomes(after: position, limit: 100).reversed()
        }
        guard page.isEmpty else { break }
        if summary.isComplete { return nil }
        // The worker has ended, so items that were added later are left to another batch on the store.
        if hasEnded {
          _ = try await worker.result()
          return nil
        }
        try await worker.change(since: summary.revision)
      }
      let outcome = page.removeLast()
      position = outcome.position
      return outcome
    }
  }
}
