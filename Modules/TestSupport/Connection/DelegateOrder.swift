public import CurlewCore

/// The contract of `ConnectionDelegate` as a value: takes the calls one after the other and says what is wrong.
///
/// Pure, so that a recorded order can be judged as well:
/// ```swift
/// var order = DelegateOrder()
/// #expect(calls.compactMap { order.take($0) }.isEmpty)
/// ```
public struct DelegateOrder: Sendable {
  /// One call of a delegate, reduced to what the order depends on.
  public enum Call: Sendable, Hashable {
    /// A redirect, or nil for a canonical form, is about to be followed.
    case willSend(redirectStatus: Int?)
    /// Whether challenges of a space can be answered.
    case canAuthenticate(ProtectionSpace)
    /// They cannot; not a call of the delegate, but its answer.
    case cannotAuthenticate(ProtectionSpace)
    /// Whether stored credentials may be used.
    case mayUseStoredCredentials(ProtectionSpace)
    /// A challenge is to be answered.
    case challenge(ProtectionSpace)
    /// The answer is not needed any more.
    case cancelChallenge(ProtectionSpace)
    /// Bytes of the body went.
    case sent(bytes: Int64, total: Int64, expected: Int64?)
    /// Another body is needed.
    case needNewBody
    /// A head; whether it is of a body whose parts replace one another.
    case response(hasParts: Bool)
    /// So many bytes of the body.
    case data(count: Int)
    /// Whether to store the response.
    case willCache
    /// All went well.
    case finish
    /// It failed.
    case fail
    /// The connection was cancelled, on the executor; not a call of the delegate, but nothing may follow it.
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

  /// An order in which nothing happened.
  public init() {}

  /// Whether finish or fail came.
  public var isEnded: Bool {
    if case .ended = phase { true } else { false }
  }

  /// Whether finish or fail came, or it was cancelled.
  public var isOver: Bool {
    switch phase {
    case .ended, .cancelled: true
    default: false
    }
  }

  /// Takes the next call.
  ///
  /// - Returns: What the contract does not allow about it; nil when all is well.
  public mutating func take(_ call: Call) -> String? {
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

  /// While the request is under way.
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

  /// After the first response.
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
    // The request may go out again without a question.
    if total != sent + bytes, total != bytes { return "bytes sent that do not add up" }
    if let expected, total > expected { return "more bytes sent than there are" }
    return nil
  }

  private mutating func restart() { sent = 0 }
}
