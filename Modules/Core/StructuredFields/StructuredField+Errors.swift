public import FoundationEssentials

extension StructuredField {
  /// The reason why a structured field cannot be parsed, and its position.
  public struct ParseError: Error, Sendable, Hashable {
    /// The kinds of errors.
    public enum Kind: Sendable, Hashable {
      /// The value ended too early.
      case unexpectedEnd
      /// The grammar does not allow this byte at its position.
      case unexpectedByte(UInt8)
      /// A number has more digits than RFC 9651 §3.3 allows.
      case numberTooLong
      /// A byte sequence is not base64.
      case invalidBase64
      /// The escaped bytes of a display string are not UTF-8.
      case invalidUTF8
      /// The value ends with a comma.
      case trailingComma
      /// The value is longer than ``Limits/totalBytes``.
      case tooManyBytes
      /// There are more members than ``Limits/members``.
      case tooManyMembers
      /// There are more items than ``Limits/innerListItems``.
      case tooManyInnerListItems
      /// There are more parameters than ``Limits/parameters``.
      case tooManyParameters
    }

    /// The kind of error.
    public let kind: Kind
    /// The byte offset of the error, in the lines joined by `", "`.
    public let position: Int

    init(_ kind: Kind, at position: Int) {
      self.kind = kind
      self.position = position
    }
  }

  /// The reason why a structured field cannot be serialized (RFC 9651 §4.1).
  public enum SerializationError: Error, Sendable, Hashable {
    /// An integer or a date has more than 15 digits.
    case integerOutOfRange(Int64)
    /// A decimal has more than 12 digits before the point.
    case decimalOutOfRange(Decimal)
    /// A string contains a character that is not printable ASCII.
    case stringNotASCII
    /// A token does not follow the grammar of RFC 9651 §3.3.4.
    case invalidToken(String)
    /// A key does not follow the grammar of RFC 9651 §3.1.2.
    case invalidKey(String)
  }
}

extension StructuredField.ParseError: CustomStringConvertible {
  /// A sentence that describes the error and its position.
  public var description: String { "The structured field is malformed at byte \(position): \(reason)." }

  private var reason: String {
    switch kind {
    case .unexpectedEnd: "the value ends too early"
    case .unexpectedByte(let byte): "RFC 9651 §4.2 does not allow \(Self.name(byte)) there"
    case .numberTooLong: "a number has more digits than RFC 9651 §3.3 allows"
    case .invalidBase64: "a byte sequence is not base64"
    case .invalidUTF8: "the escaped bytes of a display string are not UTF-8"
    case .trailingComma: "expected a member after the comma, found the end"
    case .tooManyBytes: "the value is too long (StructuredField.Limits.totalBytes)"
    case .tooManyMembers: "there are too many members (StructuredField.Limits.members)"
    case .tooManyInnerListItems: "an inner list has too many items (StructuredField.Limits.innerListItems)"
    case .tooManyParameters: "there are too many parameters (StructuredField.Limits.parameters)"
    }
  }

  private static func name(_ byte: UInt8) -> String {
    byte > 0x20 && byte < 0x7F
      ? "`\(Character(Unicode.Scalar(byte)))`" : "the byte 0x" + String(byte, radix: 16, uppercase: true)
  }
}

extension StructuredField.SerializationError: CustomStringConvertible {
  /// A sentence that describes the error.
  public var description: String {
    switch self {
    case .integerOutOfRange(let value): "The integer \(value) has more than the 15 digits of RFC 9651 §3.3.1."
    case .decimalOutOfRange: "A decimal has more than the 12 digits before the point of RFC 9651 §3.3.2."
    case .stringNotASCII: "A string contains a character other than printable ASCII (RFC 9651 §3.3.3)."
    case .invalidToken: "A token does not follow the grammar of RFC 9651 §3.3.4."
    case .invalidKey: "A key does not follow the grammar of RFC 9651 §3.1.2."
    }
  }
}

extension StructuredField.ParseError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}

extension StructuredField.SerializationError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
