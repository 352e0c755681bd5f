/// Says why a multipart body cannot be read, and where.
public struct MultipartError: Error, Sendable, Hashable {
  /// What was wrong.
  public enum Kind: Sendable, Hashable {
    /// The boundary does not follow RFC 2046 §5.1.1 or is longer than the limit.
    case invalidBoundary
    /// The body ended, or closed, before the first delimiter of a part.
    case missingDelimiter
    /// The body ended before the closing delimiter.
    case truncated
    /// A field name is empty or holds a byte that RFC 9110 §5.1 does not allow, or the colon is missing.
    case invalidFieldName
    /// A field value holds a control character.
    case invalidFieldValue
    /// A header line ends in a way that the first delimiter line of the body did not.
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
    /// A part's body is longer than the caller wanted to collect.
    case bodyTooLong
    /// A part's body was read after the next part was asked for.
    case partPassed
    /// A second read began while one was waiting.
    case overlappingRead
  }

  /// What was wrong.
  public let kind: Kind
  /// The offset of the byte in the whole body, or in the boundary for ``Kind/invalidBoundary``.
  public let position: Int

  /// Creates an error, as a test or another reader of parts needs it.
  public init(_ kind: Kind, at position: Int) {
    self.kind = kind
    self.position = position
  }
}

extension MultipartError: CustomStringConvertible {
  /// A sentence with the position.
  public var description: String { "The multipart body cannot be read at byte \(position): \(kind)." }
}
