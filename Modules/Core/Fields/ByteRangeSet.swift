/// The value of a `Range` field, such as `bytes=0-499,-500` (RFC 9110 §14.2).
public struct ByteRangeSet: Sendable, Hashable, CustomStringConvertible {
  /// The requested ranges, at least one; they may overlap, in any order.
  public let ranges: [ByteRange]

  /// Creates a set with one range.
  public init(_ range: ByteRange) {
    ranges = [range]
  }

  /// Creates a set; nil without any range.
  public init?(_ ranges: [ByteRange]) {
    guard !ranges.isEmpty else { return nil }
    self.ranges = ranges
  }

  /// Reads a field value.
  ///
  /// Numbers of more than 64 bits become the largest number. A server ignores a field that throws (RFC 9110 §14.2).
  ///
  /// - Throws: `FieldError` of kind `unsupportedUnit` for a unit other than `bytes`, `malformed` when an element is not a
  ///   range or the list is empty, and `tooMany` for more than `limit` ranges (RFC 9110 §17.15).
  public init(_ value: String, limit: Int = 64) throws(FieldError) {
    let bytes = value.utf8Span.span
    var index = 0
    FieldSyntax.skipToken(bytes, &index)
    let unit = index
    guard FieldSyntax.skip(0x3D, bytes, &index) else { throw Self.error(.malformed, index) }
    guard value.fieldSlice(0..<unit).lowercased() == "bytes" else { throw Self.error(.unsupportedUnit, 0) }
    var ranges: [ByteRange] = []
    for element in FieldList(String(value.fieldSlice(index..<bytes.count))) {
      guard ranges.count < limit else { throw Self.error(.tooMany, nil) }
      guard let range = ByteRange(element: element) else { throw Self.error(.malformed, nil) }
      ranges.append(range)
    }
    guard !ranges.isEmpty else { throw Self.error(.malformed, index) }
    self.ranges = ranges
  }

  /// Returns the ranges that a representation of a given length can satisfy.
  ///
  /// They are in the order of the request. If the result is empty, the response is 416.
  public func resolved(length: Int64) -> [Range<Int64>] {
    ranges.compactMap { $0.resolved(length: length) }
  }

  /// The field value.
  public var description: String {
    "bytes=" + ranges.map(\.description).joined(separator: ",")
  }

  private static func error(_ kind: FieldError.Kind, _ offset: Int?) -> FieldError {
    FieldError(kind, field: "Range", offset: offset)
  }
}
