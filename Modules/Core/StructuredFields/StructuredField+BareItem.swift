public import FoundationEssentials

extension StructuredField {
  /// One value without parameters (RFC 9651 §3.3).
  ///
  /// A case can have a value that RFC 9651 does not allow, such as a string outside ASCII; ``FieldValue/serialized()`` then
  /// throws. A parsed value can always be serialized.
  public enum BareItem: Sendable, Hashable {
    /// A whole number of at most 15 digits.
    case integer(Int64)
    /// A number with at most 12 digits before the point and 3 after it.
    case decimal(Decimal)
    /// Printable ASCII.
    case string(String)
    /// A short word, such as `gzip` or `text/html` (RFC 9651 §3.3.4).
    case token(String)
    /// Bytes, written in base64.
    case byteSequence(Data)
    /// True or false, written `?1` and `?0`.
    case boolean(Bool)
    /// The seconds since 1970-01-01T00:00:00Z, with at most 15 digits.
    case date(Int64)
    /// Any Unicode text, for people to read.
    case displayString(String)
  }
}
