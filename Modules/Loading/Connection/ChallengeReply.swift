public import CurlewCore

/// Takes the answer to a challenge, from wherever it comes.
///
/// The first answer counts and later ones are nothing; one that comes too late is nothing either. Let go without an
/// answer it stands for `defaultHandling`.
public final class ChallengeReply: Sendable {
  private let pending: PendingAnswer<ChallengeAnswer>
  private let relay: ConnectionRelay

  init(_ pending: PendingAnswer<ChallengeAnswer>, _ relay: ConnectionRelay) {
    self.pending = pending
    self.relay = relay
  }

  /// Answers.
  public func callAsFunction(_ answer: ChallengeAnswer) {
    guard !pending.isGiven else { return }
    // First, so that a failure that follows at once does not find it open.
    relay.closeChallenge()
    pending.give(answer)
  }

  deinit { callAsFunction(.defaultHandling) }
}
