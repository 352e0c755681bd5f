import CurlewCore

/// Counts the uses of each server nonce (RFC 7616 §3.4).
///
/// Safe from any isolation: no two requests get the same `turn`.
final class DigestSession: Sendable {
  /// The nonces and the count for one request.
  struct Turn: Sendable, Hashable {
    var nonce: String
    /// The count of this use, 1 or more.
    var count: UInt32
    var clientNonce: String
    /// The nonces of the session's first request, from which its key is computed.
    var keyNonce: String
    var keyClientNonce: String

    /// The count as the `nc` parameter: eight hexadecimal digits.
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

  /// Returns the next use of the nonce; nil when `nc` can count no further.
  ///
  /// - Parameter clientNonce: A new client nonce. A session keeps its first one, because its key depends on it: a server
  ///   that computes the key again from each request then gets the same key.
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

  /// Continues with the nonce that the server gave in advance (`nextnonce`).
  ///
  /// Does nothing when that nonce is already in use.
  func renew(_ nonce: String) {
    state.withLock { state in
      guard nonce != state.nonce else { return }
      state.nonce = nonce
      state.count = 0
    }
  }
}
