import CurlewCore
import CurlewLoading

extension BatchWorker {
  func observe(_ observer: BatchObserver) { state.withLock { $0.observers.append(observer) } }

  /// Tells the observers every result in the store, until all items have ended.
  func tellOutcomes() async throws {
    var outcomes = Batch.Iterator(worker: self)
    while let outcome = try await outcomes.next() {
      for observer in state.withLock({ $0.observers }) { await observer.tell(.ended(outcome)) }
    }
  }

  /// Tells the observers the progress at intervals while items run.
  func tellProgress() async throws {
    while true {
      try await clock.sleep(
        until: clock.now.advanced(by: max(configuration.progressInterval.limited, .milliseconds(1))))
      let items = itemsInFlight
      guard !items.isEmpty else { continue }
      // The renewals carry the progress of each item, from which the store computes the summary.
      try await renewLeases()
      let summary = try await ask { try await self.store.summary() }
      for observer in state.withLock({ $0.observers }) { await observer.tell(.progressed(summary, items)) }
    }
  }
}

/// A handler of events that is called on an executor.
struct BatchObserver: Sendable {
  private let questions: ExecutorQuestions
  private let handler: @Sendable (BatchEvent) -> Void

  init(_ executor: CallbackExecutor, _ handler: @escaping @Sendable (BatchEvent) -> Void) {
    questions = ExecutorQuestions(executor)
    self.handler = handler
  }

  /// Calls the handler and waits for it, even if the caller's task is cancelled.
  func tell(_ event: BatchEvent) async {
    await Task { try? await questions.ask { handler(event) } }.value
  }
}
