package import CurlewCore

/// Asks questions on an executor and waits for their answers.
package struct ExecutorQuestions: Sendable {
  private let executor: CallbackExecutor

  package init(_ executor: CallbackExecutor) { self.executor = executor }

  /// Runs a closure on the executor and returns its result.
  ///
  /// A closure that has not started when the waiting task is cancelled is not run.
  ///
  /// - Throws: The error of the closure; `CancellationError` when the waiting task is cancelled.
  package func ask<Answer: Sendable>(_ question: @escaping @Sendable () throws -> Answer) async throws -> Answer {
    let pending = PendingAnswer<Result<Answer, any Error>>()
    executor.run {
      guard !pending.isGiven else { return }
      pending.give(Result(catching: question))
    }
    return try await pending.wait(otherwise: .failure(CancellationError())).get()
  }

  /// Runs a closure on the executor and waits for the answer to its reply.
  ///
  /// - Parameter willAnswer: Called before the first answer is delivered.
  /// - Returns: The answer; `.cancel` with the error of the closure, or with `CancellationError` when the waiting task is
  ///   cancelled.
  package func ask(
    willAnswer: (@Sendable () -> Void)?, _ question: @escaping @Sendable (ChallengeReply) throws -> Void
  ) async -> ChallengeAnswer {
    let pending = PendingAnswer<ChallengeAnswer>()
    executor.run {
      guard !pending.isGiven else { return }
      // Hold the reply beyond the closure, because a released reply answers by default.
      let reply = ChallengeReply(pending, willAnswer: willAnswer)
      do {
        try question(reply)
      } catch {
        reply(.cancel(error))
      }
    }
    return await pending.wait(otherwise: .cancel(CancellationError()))
  }
}
