public import HTTPTypes

/// The length of a message's content in bytes (RFC 9110 §8.6).
public struct ContentLength: Sendable, Hashable, CustomStringConvertible {
  /// The length, 0 to 2^63−1.
  public let value: Int64

  /// Creates a length; nil if it is negative.
  public init?(_ value: Int64) {
    guard value >= 0 else { return nil }
    self.value = value
  }

  /// Reads a field value, or several that were joined.
  ///
  /// `42, 42` is 42.
  ///
  /// - Throws: `FieldError` of kind `conflicting` when the numbers differ, `overflow` beyond 64 bits, and `malformed` for
  ///   anything else. The end of the message is then unknown.
  public init(_ text: String) throws(FieldError) {
    let bytes = text.utf8Span.span
    var index = 0
    var length: Int64?
    repeat {
      FieldSyntax.skipWhitespace(bytes, &index)
      let start = index
      guard let number = FieldSyntax.number(bytes, &index) else { throw Self.error(.malformed, start) }
      if number.overflows { throw Self.error(.overflow, start) }
      if let length, length != number.value { throw Self.error(.conflicting, start) }
      length = number.value
      FieldSyntax.skipWhitespace(bytes, &index)
    } while FieldSyntax.skip(0x2C, bytes, &index)
    guard let length, index == bytes.count else { throw Self.error(.malformed, index) }
    value = length
  }

  /// Reads the `Content-Length` lines of a message; nil if it has no such line.
  ///
  /// - Throws: The errors of `init(_:)`.
  public init?(of fields: HTTPFields) throws(FieldError) {
    guard let text = fields[.contentLength] else { return nil }
    try self.init(text)
  }

  /// The field value.
  public var description: String { String(value) }

  private static func error(_ kind: FieldError.Kind, _ offset: Int) -> FieldError {
    FieldError(kind, field: "Content-Length", offset: offset)
  }
}
