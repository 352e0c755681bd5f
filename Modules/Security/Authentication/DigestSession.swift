import CurlewCore

/// The use of one server nonce after the other, with the count of each (RFC 7616 §3.4).
///
/// Safe from any isolation: each `turn` is given to one request.
final class DigestSession: Sendable {
  /// The place of one request in the session.
  struct Turn: Sendable, Hashable {
    var nonce: String
    /// 1….
    var count: UInt32
    var clientNonce: String
    /// The two nonces of the first request, which make a session's key.
    var keyNonce: String
    var keyClientNonce: String

    /// The count as `nc` has it.
    var countText: String {
      let digits = String(count, radix: 16)
      return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }
  }

  private struct State {
    var nonce: String
    var count: UInt32 = 0
    var keyClientNonce: String?
  }

  let challenge: DigestChallenge
  private let state: Guarded<State>

  init(_ challenge: DigestChallenge) {
    self.challenge = challenge
    state = Guarded(State(nonce: challenge.nonce))
  }

  /// The next use of the nonce; nil when it was used as often as `nc` can count.
  ///
  /// - Parameter clientNonce: A new one. A session's first is kept: its key is made of it, and servers that make the key
  ///   anew from each request then come to the same.
  func turn(_ clientNonce: String) -> Turn? {
    state.withLock { state in
      guard state.count < .max else { return nil }
      state.count += 1
      let first = state.keyClientNonce ?? clientNonce
      state.keyClientNonce = first
      return Turn(
        nonce: state.nonce, count: state.count, clientNonce: challenge.isSession ? first : clientNonce,
        keyNonce: challenge.nonce, keyClientNonce: first)
    }
  }

  /// Goes on with the nonce that the server gave in advance (`nextnonce`); one that is in use already changes nothing.
  func renew(_ nonce: String) {
    state.withLock { state in
      guard nonce != state.nonce else { return }
      state.nonce = nonce
      state.count = 0
    }
  }
}
