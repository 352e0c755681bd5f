/// The reason why a multipart body cannot be read, and its position.
public struct MultipartError: Error, Sendable, Hashable {
  /// The kinds of errors.
  public enum Kind: Sendable, Hashable {
    /// The boundary violates RFC 2046 §5.1.1 or exceeds the limit.
    case invalidBoundary
    /// The body ended or was closed before the first delimiter of a part.
    case missingDelimiter
    /// The body ended before the closing delimiter.
    case truncated
    /// A field name is empty or invalid (RFC 9110 §5.1), or its colon is missing.
    case invalidFieldName
    /// A field value holds a control character.
    case invalidFieldValue
    /// A header line ends differently than the first delimiter line of the body.
    case invalidLineBreak
    /// The preamble is longer than ``MultipartReader/Limits/preambleBytes``.
    case preambleTooLong
    /// There are more parts than ``MultipartReader/Limits/parts``.
    case tooManyParts
    /// A part's header is longer than ``MultipartReader/Limits/headerBytes``.
    case headerTooLong
    /// A part has more fields than ``MultipartReader/Limits/headerFields``.
    case tooManyFields
    /// More blanks follow a delimiter than ``MultipartReader/Limits/paddingBytes``.
    case paddingTooLong
    /// A part's body is longer than the caller's limit for collecting it.
    case bodyTooLong
    /// A part's body was read after the next part was requested.
    case partPassed
    /// A second read began before the first one had ended.
    case overlappingRead
  }

  /// The kind of error.
  public let kind: Kind
  /// The byte offset in the body, or in the boundary if that is invalid.
  public let position: Int

  /// Creates an error, for example in a test or another reader.
  public init(_ kind: Kind, at position: Int) {
    self.kind = kind
    self.position = position
  }
}

extension MultipartError: CustomStringConvertible {
  /// A sentence that describes the error and its position.
  public var description: String { "The multipart body cannot be read at byte \(position): \(kind)." }
}
