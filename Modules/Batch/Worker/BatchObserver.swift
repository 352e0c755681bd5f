import CurlewCore
import CurlewLoading

/// One handler of events, called on its executor.
struct BatchObserver: Sendable {
  private let questions: ExecutorQuestions
  private let handler: @Sendable (BatchEvent) -> Void

  init(_ executor: CallbackExecutor, _ handler: @escaping @Sendable (BatchEvent) -> Void) {
    questions = ExecutorQuestions(executor)
    self.handler = handler
  }

  /// Calls the handler and waits until it has returned, whether the caller's task is cancelled or not.
  func tell(_ event: BatchEvent) async {
    await Task { try? await questions.ask { handler(event) } }.value
  }
}
