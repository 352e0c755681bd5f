/// The reason for which a WebSocket was closed, as a number (RFC 6455 §7.4).
///
/// 3000 to 3999 are for libraries and frameworks, 4000 to 4999 for apps.
public struct WebSocketCloseCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The number.
  public var rawValue: UInt16
  /// Creates a code.
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  /// The number as text.
  public var description: String { String(rawValue) }

  /// The purpose of the connection is fulfilled.
  public static let normal = WebSocketCloseCode(rawValue: 1000)
  /// The server goes down, or the user leaves.
  public static let goingAway = WebSocketCloseCode(rawValue: 1001)
  /// The peer violated the protocol.
  public static let protocolError = WebSocketCloseCode(rawValue: 1002)
  /// The peer sent a kind of message that is not accepted.
  public static let unsupportedData = WebSocketCloseCode(rawValue: 1003)
  /// The peer's close frame had no code; it is never sent.
  public static let noCode = WebSocketCloseCode(rawValue: 1005)
  /// The connection ended without a close frame; it is never sent.
  public static let abnormal = WebSocketCloseCode(rawValue: 1006)
  /// A message has content of the wrong form, such as a text that is not UTF-8.
  public static let invalidPayload = WebSocketCloseCode(rawValue: 1007)
  /// A message violates a policy of the peer.
  public static let policyViolation = WebSocketCloseCode(rawValue: 1008)
  /// A message is too large.
  public static let messageTooLarge = WebSocketCloseCode(rawValue: 1009)
  /// The server lacks an extension that the client needs.
  public static let missingExtension = WebSocketCloseCode(rawValue: 1010)
  /// The server met an unexpected condition.
  public static let internalError = WebSocketCloseCode(rawValue: 1011)
  /// The server restarts.
  public static let serviceRestart = WebSocketCloseCode(rawValue: 1012)
  /// The server is overloaded.
  public static let tryAgainLater = WebSocketCloseCode(rawValue: 1013)

  /// Whether a close frame may have this code (RFC 6455 §7.4.1, §7.4.2, and IANA's registry).
  public var mayBeSent: Bool {
    switch rawValue {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}

/// How a WebSocket ended: the code and the reason of the peer's close frame.
public struct WebSocketClosure: Sendable, Hashable {
  /// The code; `noCode` if the close frame had none.
  public var code: WebSocketCloseCode
  /// The reason, which is for people, at most 123 bytes; often empty.
  public var reason: String

  /// Creates a closure.
  public init(_ code: WebSocketCloseCode, reason: String = "") {
    self.code = code
    self.reason = reason
  }
}
