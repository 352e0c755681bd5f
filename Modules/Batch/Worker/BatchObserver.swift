import CurlewCore
import CurlewLoading

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
