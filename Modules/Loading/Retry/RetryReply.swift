public import CurlewCore

/// Receives the answer to the question whether to retry, from any thread.
///
/// Only the first answer counts. If the reply is released without an answer, the answer is no, so that a transfer ends
/// even if the app forgets it.
public final class RetryReply: Sendable {
  private let pending: PendingAnswer<RetryDecision>

  init(_ pending: PendingAnswer<RetryDecision>) { self.pending = pending }

  /// Answers the question.
  ///
  /// - Parameter again: Whether to retry after the policy's delay.
  public func callAsFunction(_ again: Bool) { pending.give(again ? .again : .finish) }

  deinit { pending.give(.finish) }
}

extension Transfer.Configuration {
  /// Asks whether to retry in FWURLSessionManager's form.
  ///
  /// The reply may come later and from any thread. This replaces `shouldRetry`. The question is asked whenever the
  /// policy's limits allow another attempt, even after a success.
  public mutating func askToRetry(
    _ ask: @escaping @Sendable (ResponseHead?, Value?, (any Error)?, RetryReply) -> Void
  ) {
    shouldRetry = { attempt, value in
      guard attempt.allowsRetry else { return .finish }
      let pending = PendingAnswer<RetryDecision>()
      ask(attempt.response, value, attempt.error, RetryReply(pending))
      return await pending.wait(otherwise: .finish)
    }
  }
}
