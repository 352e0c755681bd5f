/// An index of encoded members by the bytes of their names.
///
/// An encoder uses it when a type requests a container for a key that may already have one. It indexes members only
/// then, because most types never do that.
package struct MemberPlaces {
  /// Up to this many members, a linear search is faster than an index.
  private static let scanLimit = 8

  private var places: [ExactString: Int] = [:]
  /// The number of members that have been indexed so far.
  private var indexed = 0

  /// Creates an empty index.
  package init() {}

  /// Returns the index of the last member with a name; nil if no member has it.
  ///
  /// - Parameters:
  ///   - count: The number of members, which never decreases.
  ///   - nameAt: Returns the name of the member at an index.
  package mutating func place(of name: String, among count: Int, nameAt: (Int) -> String) -> Int? {
    guard count > Self.scanLimit else {
      return (0..<count).last { ExactString.areEqual(nameAt($0), name) }
    }
    while indexed < count {
      places[ExactString(nameAt(indexed))] = indexed
      indexed += 1
    }
    return places[ExactString(name)]
  }
}

/// A string that is compared by its UTF-8 bytes.
///
/// For Swift's `String`, "é" equals "e" followed by U+0301. Names in documents are compared code point by code point
/// (XML 1.0 §1.2 "match", RFC 8259 §8.3), so those are two different names.
package struct ExactString: Hashable, Sendable {
  /// The string.
  package let text: String

  /// Wraps a string.
  package init(_ text: String) { self.text = text }

  /// Returns whether both have the same bytes.
  package static func == (left: ExactString, right: ExactString) -> Bool { areEqual(left.text, right.text) }

  /// Hashes the bytes.
  package func hash(into hasher: inout Hasher) {
    let isHashed: Void? = text.utf8.withContiguousStorageIfAvailable {
      hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
    // Strings bridged from other libraries may not have contiguous UTF-8.
    if isHashed == nil { for byte in text.utf8 { hasher.combine(byte) } }
    hasher.combine(0xFF as UInt8)
  }

  /// Returns whether two strings have the same bytes.
  package static func areEqual(_ left: String, _ right: String) -> Bool {
    let left = left.utf8Span.span
    let right = right.utf8Span.span
    guard left.count == right.count else { return false }
    for place in left.indices where left[place] != right[place] { return false }
    return true
  }
}
