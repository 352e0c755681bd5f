/// The position of a part, such as `bytes 0-499/1234` (RFC 9110 §14.4).
public struct ContentRange: Sendable, Hashable, CustomStringConvertible {
  /// The bytes of the representation that the part contains.
  ///
  /// Nil for `bytes */1234`, which says that no range could be satisfied.
  public let range: Range<Int64>?
  /// The length of the whole representation.
  ///
  /// Nil for `*`, if the server does not know it.
  public let total: Int64?

  /// Creates a value for a range of bytes.
  ///
  /// Nil if the range is empty, negative, or exceeds the total.
  public init?(_ range: Range<Int64>, total: Int64?) {
    guard !range.isEmpty, range.lowerBound >= 0, total.map({ range.upperBound <= $0 }) ?? true
    else { return nil }
    self.range = range
    self.total = total
  }

  /// Creates the value of a 416 response; nil if the length is negative.
  public init?(unsatisfiedTotal total: Int64) {
    guard total >= 0 else { return nil }
    range = nil
    self.total = total
  }

  /// Reads a field value.
  ///
  /// A part whose value throws must not be combined with other parts.
  ///
  /// - Throws: `FieldError` of kind `unsupportedUnit` for a unit other than `bytes`, `overflow` for a number of 2^63−1 or
  ///   more, and `malformed` for any other violation of the grammar, and when the last byte precedes the first or is not below
  ///   the total.
  public init(_ value: String) throws(FieldError) {
    let bytes = value.utf8Span.span
    var index = 0
    FieldSyntax.skipToken(bytes, &index)
    let unit = index
    guard unit > 0, FieldSyntax.skip(0x20, bytes, &index) else { throw Self.error(.malformed, index) }
    guard value.fieldSlice(0..<unit).lowercased() == "bytes" else { throw Self.error(.unsupportedUnit, 0) }
    if FieldSyntax.skip(0x2A, bytes, &index) {
      guard let total = try Self.total(bytes, &index) else { throw Self.error(.malformed, index) }
      range = nil
      self.total = total
      return
    }
    let first = try Self.position(bytes, &index)
    guard FieldSyntax.skip(0x2D, bytes, &index) else { throw Self.error(.malformed, index) }
    let last = try Self.position(bytes, &index)
    let total = try Self.total(bytes, &index)
    guard first <= last, total.map({ last < $0 }) ?? true else { throw Self.error(.malformed, index) }
    range = first..<(last + 1)
    self.total = total
  }

  /// The field value.
  public var description: String {
    let whole = total.map { String($0) } ?? "*"
    guard let range else { return "bytes */" + whole }
    return "bytes \(range.lowerBound)-\(range.upperBound - 1)/" + whole
  }

  /// Reads `/1234` or `/*` up to the end.
  private static func total(_ bytes: Span<UInt8>, _ index: inout Int) throws(FieldError) -> Int64? {
    guard FieldSyntax.skip(0x2F, bytes, &index) else { throw error(.malformed, index) }
    let total: Int64? = FieldSyntax.skip(0x2A, bytes, &index) ? nil : try position(bytes, &index)
    guard index == bytes.count else { throw error(.malformed, index) }
    return total
  }

  private static func position(_ bytes: Span<UInt8>, _ index: inout Int) throws(FieldError) -> Int64 {
    let start = index
    guard let number = FieldSyntax.number(bytes, &index) else { throw error(.malformed, start) }
    // The end of a range is one more than its last byte, so the largest number overflows.
    guard !number.overflows, number.value < .max else { throw error(.overflow, start) }
    return number.value
  }

  private static func error(_ kind: FieldError.Kind, _ offset: Int) -> FieldError {
    FieldError(kind, field: "Content-Range", offset: offset)
  }
}
