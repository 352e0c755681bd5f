public import FoundationEssentials

/// A rule that the peer of a WebSocket broke, or a limit that it exceeded.
///
/// It is the cause of the `NetworkError` with which the messages end; its code was sent to the peer.
public struct WebSocketViolation: Error, Sendable, Hashable, CustomStringConvertible {
  /// The code of the close frame that told the peer.
  public let code: WebSocketCloseCode
  /// A sentence that says what was found.
  public let description: String

  init(_ code: WebSocketCloseCode, _ text: String) {
    self.code = code
    description = text + "."
  }

  static func protocolError(_ text: String) -> WebSocketViolation { WebSocketViolation(.protocolError, text) }
  static func tooLarge(_ text: String) -> WebSocketViolation { WebSocketViolation(.messageTooLarge, text) }
  static func invalidPayload(_ text: String) -> WebSocketViolation { WebSocketViolation(.invalidPayload, text) }
}

extension WebSocketViolation: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
