extension StructuredField {
  /// Says why a field is not the structured field it was read as, and where.
  public struct ParseError: Error, Sendable, Hashable {
    /// What was wrong.
    public enum Kind: Sendable, Hashable {
      /// The value ended where more was needed.
      case unexpectedEnd
      /// A byte stands where the grammar does not allow it.
      case unexpectedByte(UInt8)
      /// A number has more digits than RFC 9651 §3.3 allows.
      case numberTooLong
      /// A byte sequence is not base64.
      case invalidBase64
      /// The escaped bytes of a display string are not UTF-8.
      case invalidUTF8
      /// A comma is the last thing in the value.
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

    /// What was wrong.
    public let kind: Kind
    /// The offset of the byte, in the lines joined by `", "`.
    public let position: Int

    init(_ kind: Kind, at position: Int) {
      self.kind = kind
      self.position = position
    }
  }

  /// Says why a value cannot be written as a structured field (RFC 9651 §4.1).
  public enum SerializationError: Error, Sendable, Hashable {
    /// An integer or a date has more than 15 digits.
    case integerOutOfRange(Int64)
    /// A decimal has more than 12 digits before the point.
    case decimalOutOfRange(Decimal)
    /// A string holds something other than printable ASCII.
    case stringNotASCII
    /// A token does not follow the grammar of RFC 9651 §3.3.4.
    case invalidToken(String)
    /// A key does not follow the grammar of RFC 9651 §3.1.2.
    case invalidKey(String)
  }
}

extension StructuredField.ParseError: CustomStringConvertible {
  /// A sentence with the position.
  public var description: String { "The structured field is malformed at byte \(position): \(kind)." }
}
