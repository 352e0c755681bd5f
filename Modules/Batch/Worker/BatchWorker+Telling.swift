import CurlewCore

extension BatchWorker {
  func observe(_ observer: BatchObserver) { state.withLock { $0.observers.append(observer) } }

  /// Tells observers of every result in the store, until the last.
  func tellOutcomes() async throws {
    var outcomes = Batch.Iterator(worker: self)
    while let outcome = try await outcomes.next() {
      for observer in state.withLock({ $0.observers }) { await observer.tell(.ended(outcome)) }
    }
  }

  /// Tells observers of progress while something runs.
  func tellProgress() async throws {
    while true {
      try await clock.sleep(
        until: clock.now.advanced(by: max(configuration.progressInterval.limited, .milliseconds(1))))
      let items = itemsInFlight
      guard !items.isEmpty else { continue }
      // The store sums up what its workers have told it.
      try await renewLeases()
      let summary = try await store.summary()
      for observer in state.withLock({ $0.observers }) { await observer.tell(.progressed(summary, items)) }
    }
  }
}
