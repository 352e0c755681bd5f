/// The elements of a comma-separated field value.
///
/// The sequence follows the `#rule` of RFC 9110 §5.6.1: it drops whitespace around elements and skips empty ones, and a comma
/// inside a quoted string does not separate. An unterminated quoted string extends to the end of the value. Elements are found
/// lazily and are not copied.
///
///     for element in FieldList("gzip, br;q=0.8") { … }  // "gzip", then "br;q=0.8"
public struct FieldList: Sequence, Sendable, Hashable {
  /// The value that is split.
  public let value: String

  /// Splits one value.
  public init(_ value: String) {
    self.value = value
  }

  /// Splits the values of several field lines as if they were one (RFC 9110 §5.3).
  public init(lines: [String]) {
    value = lines.count == 1 ? lines.first ?? "" : lines.joined(separator: ",")
  }

  /// Iterates over the elements.
  public struct Iterator: IteratorProtocol, Sendable {
    private let value: String
    private var offset = 0

    fileprivate init(_ value: String) {
      self.value = value
    }

    /// Returns the next element, never empty.
    public mutating func next() -> Substring? { nextRange().map { value.fieldSlice($0) } }

    /// Returns the range of the next element in UTF-8 bytes.
    mutating func nextRange() -> Range<Int>? {
      let bytes = value.utf8Span.span
      while offset < bytes.count {
        while offset < bytes.count, FieldSyntax.isWhitespace(bytes[offset]) || bytes[offset] == 0x2C {
          offset += 1
        }
        let start = offset
        while offset < bytes.count, bytes[offset] != 0x2C {
          if bytes[offset] == 0x22 {
            FieldSyntax.skipQuotedString(bytes, &offset)
          } else {
            offset += 1
          }
        }
        var end = offset
        while end > start, FieldSyntax.isWhitespace(bytes[end - 1]) { end -= 1 }
        if end > start { return start..<end }
      }
      return nil
    }
  }

  /// Returns an iterator that starts at the first element.
  public func makeIterator() -> Iterator {
    Iterator(value)
  }
}

extension String {
  /// Returns the text between two byte offsets, each next to an ASCII byte.
  func fieldSlice(_ range: Range<Int>) -> Substring {
    let start = utf8.index(startIndex, offsetBy: range.lowerBound)
    let end = utf8.index(start, offsetBy: range.count)
    return self[start..<end]
  }
}
