public import FoundationEssentials

/// A message: a text, or bytes (RFC 6455 §5.6).
public enum WebSocketMessage: Sendable, Hashable {
  /// A text, which is sent in UTF-8.
  case text(String)
  /// Bytes.
  case binary(Data)

  /// The content as bytes; a text in UTF-8.
  public var data: Data {
    switch self {
    case .text(let text): Data(text.utf8)
    case .binary(let data): data
    }
  }

  /// The number of bytes of the content.
  public var count: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .binary(let data): data.count
    }
  }
}
