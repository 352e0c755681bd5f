/// One range that a request asks for (RFC 9110 §14.1.2), in bytes.
public struct ByteRange: Sendable, Hashable, CustomStringConvertible {
  /// The three ways to name a range.
  public enum Form: Sendable, Hashable {
    /// `0-499`: both ends are included.
    case bounded(first: Int64, last: Int64)
    /// `500-`: to the end.
    case from(Int64)
    /// `-500`: so many at the end.
    case suffix(Int64)
  }

  /// How the range is named.
  public let form: Form

  private init(_ form: Form) {
    self.form = form
  }

  /// From the first to the last byte, both included.
  ///
  /// Nil when negative or the wrong way round.
  public init?(first: Int64, last: Int64) {
    guard first >= 0, last >= first else { return nil }
    form = .bounded(first: first, last: last)
  }

  /// From one byte to the end; nil when negative.
  public init?(from first: Int64) {
    guard first >= 0 else { return nil }
    form = .from(first)
  }

  /// So many bytes at the end; nil when negative.
  public init?(suffix length: Int64) {
    guard length >= 0 else { return nil }
    form = .suffix(length)
  }

  /// The same bytes as a Swift range; nil when it is empty or starts below 0.
  public init?(_ range: Range<Int64>) {
    guard !range.isEmpty else { return nil }
    self.init(first: range.lowerBound, last: range.upperBound - 1)
  }

  /// Returns the bytes this names in a representation of some length.
  ///
  /// Nil when it can satisfy none.
  ///
  /// A suffix longer than the representation is all of it, of an empty one too: `0..<0`.
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

  /// The range without its unit, as `0-499`.
  public var description: String {
    switch form {
    case .bounded(let first, let last): "\(first)-\(last)"
    case .from(let first): "\(first)-"
    case .suffix(let length): "-\(length)"
    }
  }

  /// Reads one range.
  ///
  /// Fails for text that is not a range. Numbers beyond 64 bits count as the largest.
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
