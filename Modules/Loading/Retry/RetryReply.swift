public import CurlewCore

/// Takes the answer to whether to try again, from wherever it comes.
///
/// The first answer counts and later ones are nothing. One that is let go without an answer is a no, so that a transfer
/// ends even where the app forgets to answer.
public final class RetryReply: Sendable {
  private let pending: PendingAnswer<RetryDecision>

  init(_ pending: PendingAnswer<RetryDecision>) { self.pending = pending }

  /// Answers.
  ///
  /// - Parameter again: Whether to try again, after the policy's wait.
  public func callAsFunction(_ again: Bool) { pending.give(again ? .again : .finish) }

  deinit { pending.give(.finish) }
}

extension Transfer.Configuration {
  /// Asks whether to try again in FWURLSessionManager's form, with a reply that may come later and from any thread.
  ///
  /// Takes the place of `shouldRetry`. Asked wherever the policy's limits allow another attempt, after a success too.
  public mutating func askToRetry(
    _ ask: @escaping @Sendable (ResponseHead?, Value?, (any Error)?, RetryReply) -> Void
  ) {
    shouldRetry = { attempt, value in
      let pending = PendingAnswer<RetryDecision>()
      ask(attempt.response, value, attempt.error, RetryReply(pending))
      return await pending.wait(otherwise: .finish)
    }
  }
}
