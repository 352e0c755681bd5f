/// One byte range that a request asks for (RFC 9110 §14.1.2).
public struct ByteRange: Sendable, Hashable, CustomStringConvertible {
  /// The three forms of a range.
  public enum Form: Sendable, Hashable {
    /// `0-499`: from the first to the last byte, both included.
    case bounded(first: Int64, last: Int64)
    /// `500-`: from an offset to the end.
    case from(Int64)
    /// `-500`: the given number of bytes at the end.
    case suffix(Int64)
  }

  /// The form of the range.
  public let form: Form

  private init(_ form: Form) {
    self.form = form
  }

  /// Creates a range from the first to the last byte, both included.
  ///
  /// Nil if `first` is negative or greater than `last`.
  public init?(first: Int64, last: Int64) {
    guard first >= 0, last >= first else { return nil }
    form = .bounded(first: first, last: last)
  }

  /// Creates a range from an offset to the end; nil if it is negative.
  public init?(from first: Int64) {
    guard first >= 0 else { return nil }
    form = .from(first)
  }

  /// Creates a range of the last bytes; nil if the length is negative.
  public init?(suffix length: Int64) {
    guard length >= 0 else { return nil }
    form = .suffix(length)
  }

  /// Creates a range from a Swift range; nil if that is empty or starts below 0.
  public init?(_ range: Range<Int64>) {
    guard !range.isEmpty else { return nil }
    self.init(first: range.lowerBound, last: range.upperBound - 1)
  }

  /// Returns the bytes that the range covers in a representation of a given length.
  ///
  /// A suffix that is longer than the representation covers all of it; for an empty representation that is `0..<0`. The result
  /// is nil if the range cannot be satisfied.
  public func resolved(length: Int64) -> Range<Int64>? {
    guard length >= 0 else { return nil }
    switch form {
    case .bounded(let first, let last):
      return first < length ? first..<(min(last, length - 1) + 1) : nil
    case .from(let first):
      return first < length ? first..<length : nil
    case .suffix(let count):
      return count > 0 ? (length - min(count, length))..<length : nil
    }
  }

  /// The range without its unit, such as `0-499`.
  public var description: String {
    switch form {
    case .bounded(let first, let last): "\(first)-\(last)"
    case .from(let first): "\(first)-"
    case .suffix(let length): "-\(length)"
    }
  }

  /// Reads one range, or returns nil if the text is not a range.
  ///
  /// Numbers of more than 64 bits become the largest number.
  init?(element: Substring) {
    let text = String(element)
    let bytes = text.utf8Span.span
    var index = 0
    let first = FieldSyntax.number(bytes, &index)?.value
    guard FieldSyntax.skip(0x2D, bytes, &index) else { return nil }
    let last = FieldSyntax.number(bytes, &index)?.value
    guard index == bytes.count else { return nil }
    switch (first, last) {
    case (let first?, let last?):
      guard first <= last else { return nil }
      self.init(.bounded(first: first, last: last))
    case (let first?, nil): self.init(.from(first))
    case (nil, let last?): self.init(.suffix(last))
    case (nil, nil): return nil
    }
  }
}

/// The value of a `Range` field, such as `bytes=0-499,-500` (RFC 9110 §14.2).
package struct ByteRangeSet: Sendable, Hashable, CustomStringConvertible {
  /// The requested ranges, at least one; they may overlap, in any order.
  package let ranges: [ByteRange]

  /// Creates a set with one range.
  package init(_ range: ByteRange) {
    ranges = [range]
  }

  /// Creates a set; nil without any range.
  package init?(_ ranges: [ByteRange]) {
    guard !ranges.isEmpty else { return nil }
    self.ranges = ranges
  }

  /// Reads a field value.
  ///
  /// Numbers of more than 64 bits become the largest number. A server ignores a field that throws (RFC 9110 §14.2).
  ///
  /// - Throws: `FieldError` of kind `unsupportedUnit` for a unit other than `bytes`, `malformed` when an element is not a
  ///   range or the list is empty, and `tooMany` for more than `limit` ranges (RFC 9110 §17.15).
  package init(_ value: String, limit: Int = 64) throws(FieldError) {
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
  package func resolved(length: Int64) -> [Range<Int64>] {
    ranges.compactMap { $0.resolved(length: length) }
  }

  /// The field value.
  package var description: String {
    "bytes=" + ranges.map(\.description).joined(separator: ",")
  }

  private static func error(_ kind: FieldError.Kind, _ offset: Int?) -> FieldError {
    FieldError(kind, field: "Range", offset: offset)
  }
}
