public import CurlewCore

/// Receives the answer to a challenge, from any thread, now or later.
///
/// Only the first answer counts, and only while the request still waits for it. A reply that is released without an
/// answer means `defaultHandling`.
public final class ChallengeReply: Sendable {
  private let pending: PendingAnswer<ChallengeAnswer>
  private let willAnswer: (@Sendable () -> Void)?

  /// Creates a reply.
  ///
  /// - Parameter willAnswer: Called before an answer is delivered, so that a failure that follows at once finds the challenge
  ///   closed.
  init(_ pending: PendingAnswer<ChallengeAnswer>, willAnswer: (@Sendable () -> Void)?) {
    self.pending = pending
    self.willAnswer = willAnswer
  }

  /// Answers the challenge.
  public func callAsFunction(_ answer: ChallengeAnswer) {
    guard !pending.isGiven else { return }
    willAnswer?()
    pending.give(answer)
  }

  deinit { callAsFunction(.defaultHandling) }
}
