/// The elements of a comma-separated field value, one after the other.
///
/// Follows the `#rule` of RFC 9110 §5.6.1: whitespace around an element is dropped, empty elements
/// are skipped, and a comma inside a quoted-string separates nothing. A quote that is never
/// closed takes the rest of the value into its element. Elements are found as they are asked
/// for; nothing is copied.
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

  /// Walks over the elements.
  public struct Iterator: IteratorProtocol, Sendable {
    private let value: String
    private var offset = 0

    fileprivate init(_ value: String) {
      self.value = value
    }

    /// Returns the next element, never empty.
    public mutating func next() -> Substring? { nextRange().map { value.fieldSlice($0) } }

    /// Returns where the next element is, in bytes.
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

  /// Starts at the first element.
  public func makeIterator() -> Iterator {
    Iterator(value)
  }
}

extension String {
  /// Returns the characters between two byte offsets that lie beside ASCII bytes.
  func fieldSlice(_ range: Range<Int>) -> Substring {
    let start = utf8.index(startIndex, offsetBy: range.lowerBound)
    let end = utf8.index(start, offsetBy: range.count)
    return self[start..<end]
  }
}
