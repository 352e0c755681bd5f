public import FoundationEssentials

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
  public var description: String {
    kind == .invalidBoundary
      ? "The multipart boundary is invalid at byte \(position): \(reason)."
      : "The multipart body cannot be read at byte \(position): \(reason)."
  }

  private var reason: String {
    switch kind {
    case .invalidBoundary:
      "expected letters, digits, spaces and '()+_,-./:=? within the limit, not ending with a space (RFC 2046 §5.1.1)"
    case .missingDelimiter: "expected the boundary's delimiter before the first part; the boundary may be wrong"
    case .truncated: "it ends before its closing delimiter"
    case .invalidFieldName: "expected a field name and a colon (RFC 9110 §5.1)"
    case .invalidFieldValue: "a field value must not contain a control character other than a tab"
    case .invalidLineBreak: "expected the same line break as after the first delimiter"
    case .preambleTooLong: "the text before the first delimiter is too long (MultipartReader.Limits.preambleBytes)"
    case .tooManyParts: "it has too many parts (MultipartReader.Limits.parts)"
    case .headerTooLong: "the header of a part is too long (MultipartReader.Limits.headerBytes)"
    case .tooManyFields: "a part has too many fields (MultipartReader.Limits.headerFields)"
    case .paddingTooLong: "too many blanks follow a delimiter (MultipartReader.Limits.paddingBytes)"
    case .bodyTooLong: "the body of a part is longer than the limit for collecting it"
    case .partPassed: "the body of a part was read after the next part was requested"
    case .overlappingRead: "a read began before the previous one had ended"
    }
  }
}

extension MultipartError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
