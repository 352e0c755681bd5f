package import CurlewCore

/// Checks the order of `ConnectionDelegate` calls.
///
/// It is a value without I/O, so a recorded order can be checked as well.
package struct DelegateOrder: Sendable {
  /// One call of a delegate, reduced to what the order depends on.
  package enum Call: Sendable, Hashable {
    /// A request is about to be sent, after a redirect or in canonical form (nil).
    case willSend(redirectStatus: Int?)
    /// Whether challenges of a protection space can be answered.
    case canAuthenticate(ProtectionSpace)
    /// They cannot be answered; this is not a call of the delegate but its answer.
    case cannotAuthenticate(ProtectionSpace)
    /// Whether stored credentials may be used.
    case mayUseStoredCredentials(ProtectionSpace)
    /// A challenge must be answered.
    case challenge(ProtectionSpace)
    /// The answer is no longer needed.
    case cancelChallenge(ProtectionSpace)
    /// Bytes of the request's body were sent.
    case sent(bytes: Int64, total: Int64, expected: Int64?)
    /// Another body is needed.
    case needNewBody
    /// A head, and whether its body consists of parts that replace each other.
    case response(hasParts: Bool)
    /// This many bytes of the body.
    case data(count: Int)
    /// Whether to store the response.
    case willCache
    /// The connection succeeded.
    case finish
    /// The connection failed.
    case fail
    /// The connection was cancelled on its executor.
    ///
    /// This is not a call of the delegate, but nothing may follow it.
    case cancelled
  }

  private enum Phase {
    case asking
    case responding(hasParts: Bool)
    case caching
    case cancellingChallenge
    case ended
    case cancelled
  }

  private var phase = Phase.asking
  private var answerable: Set<ProtectionSpace> = []
  private var openChallenge: ProtectionSpace?
  private var sent: Int64 = 0

  /// Creates an order in which no call has been made.
  package init() {}

  /// Whether `finish` or `fail` was called.
  package var isEnded: Bool {
    if case .ended = phase { true } else { false }
  }

  /// Whether `finish` or `fail` was called, or the connection was cancelled.
  package var isOver: Bool {
    switch phase {
    case .ended, .cancelled: true
    default: false
    }
  }

  /// Checks the next call.
  ///
  /// - Returns: A description of the violation; nil if the call is allowed.
  package mutating func take(_ call: Call) -> String? {
    switch (phase, call) {
    case (.ended, .cancelled), (.cancelled, .cancelled), (.cancelled, .cannotAuthenticate): return nil
    case (.ended, _): return "\(call) after the end"
    case (.cancelled, _): return "\(call) after cancel"
    case (_, .cancelled):
      phase = .cancelled
      return nil
    case (.cancellingChallenge, .fail):
      phase = .ended
      return nil
    case (.cancellingChallenge, _): return "\(call) after a challenge was cancelled"
    case (.asking, _): return takeQuestion(call)
    case (.responding, _), (.caching, _): return takeAnswer(call)
    }
  }

  /// Checks a call before the first response.
  private mutating func takeQuestion(_ call: Call) -> String? {
    switch call {
    case .willSend(let status):
      if let status, !(300...399).contains(status) { return "a redirect by \(status)" }
      restart()
      return nil
    case .canAuthenticate(let space):
      answerable.insert(space)
      return nil
    case .cannotAuthenticate(let space):
      answerable.remove(space)
      return nil
    case .mayUseStoredCredentials: return nil
    case .challenge(let space):
      restart()
      openChallenge = space
      return answerable.contains(space) ? nil : "a challenge that nobody asked about"
    case .cancelChallenge(let space):
      phase = .cancellingChallenge
      return openChallenge == space ? nil : "a challenge cancelled that was not open"
    case .needNewBody:
      restart()
      return nil
    case .sent(let bytes, let total, let expected): return takeSent(bytes, total, expected)
    case .response(let hasParts):
      phase = .responding(hasParts: hasParts)
      return nil
    case .fail:
      phase = .ended
      return nil
    case .data, .willCache, .finish: return "\(call) before a response"
    case .cancelled: return nil
    }
  }

  /// Checks a call after the first response.
  private mutating func takeAnswer(_ call: Call) -> String? {
    switch (phase, call) {
    case (.responding(true), .response): return nil
    case (_, .response): return "a second response to a body without parts"
    case (.responding, .data(let count)): return count > 0 ? nil : "data of no bytes"
    case (.responding, .willCache):
      phase = .caching
      return nil
    case (_, .finish), (_, .fail):
      phase = .ended
      return nil
    default: return "\(call) after the response"
    }
  }

  private mutating func takeSent(_ bytes: Int64, _ total: Int64, _ expected: Int64?) -> String? {
    defer { sent = total }
    if bytes <= 0 { return "\(bytes) bytes sent" }
    // The request may be sent again without a call of `needNewBody`.
    if total != sent + bytes, total != bytes { return "bytes sent that do not add up" }
    if let expected, total > expected { return "more bytes sent than there are" }
    return nil
  }

  private mutating func restart() { sent = 0 }
}
