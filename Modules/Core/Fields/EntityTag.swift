/// A validator of a representation, such as `W/"xyzzy"` (RFC 9110 §8.8.3).
///
/// RFC 9110 defines two comparisons, `matchesStrongly` and `matchesWeakly`. `==` is neither of them: it compares the values.
public struct EntityTag: Sendable, Hashable, CustomStringConvertible {
  /// Whether the tag is weak: it then also matches equivalent representations.
  public let isWeak: Bool
  /// The characters between the quotes.
  public let opaque: String

  /// Creates a tag; nil if the text contains a quote, a space or a control character.
  public init?(_ opaque: String, isWeak: Bool) {
    guard opaque.utf8.allSatisfy(Self.isTagByte) else { return nil }
    self.opaque = opaque
    self.isWeak = isWeak
  }

  /// Reads an `ETag` value; nil if it is not valid, for example without quotes.
  public init?(_ text: String) {
    let bytes = text.utf8Span.span
    var index = 0
    guard let tag = Self.read(bytes, &index), index == bytes.count else { return nil }
    self = tag
  }

  /// Returns whether both tags are strong and equal.
  ///
  /// Combining ranges and overwriting require this comparison.
  public func matchesStrongly(_ other: EntityTag) -> Bool {
    !isWeak && !other.isWeak && matchesWeakly(other)
  }

  /// Returns whether both tags are equal, weak or not.
  ///
  /// This comparison suffices to reuse a stored response.
  public func matchesWeakly(_ other: EntityTag) -> Bool {
    // By bytes (RFC 9110 §8.8.3.2): equal text can have several forms.
    opaque.utf8.elementsEqual(other.opaque.utf8)
  }

  /// The field value.
  public var description: String { (isWeak ? "W/\"" : "\"") + opaque + "\"" }

  static func read(_ bytes: Span<UInt8>, _ index: inout Int) -> EntityTag? {
    let isWeak = FieldSyntax.skip(0x57, bytes, &index)
    if isWeak, !FieldSyntax.skip(0x2F, bytes, &index) { return nil }
    guard FieldSyntax.skip(0x22, bytes, &index) else { return nil }
    let start = index
    while index < bytes.count, isTagByte(bytes[index]) { index += 1 }
    let end = index
    guard FieldSyntax.skip(0x22, bytes, &index) else { return nil }
    return EntityTag(unchecked: String(copying: bytes, start..<end), isWeak: isWeak)
  }

  private init(unchecked opaque: String, isWeak: Bool) {
    self.opaque = opaque
    self.isWeak = isWeak
  }

  private static func isTagByte(_ byte: UInt8) -> Bool {
    byte == 0x21 || (byte >= 0x23 && byte != 0x7F)
  }
}

/// The value of `If-Match` and `If-None-Match` (RFC 9110 §13.1.1, §13.1.2).
package enum EntityTagCondition: Sendable, Hashable, CustomStringConvertible {
  /// The most tags that are read.
  package static let maximumTags = 1024

  /// `*`: any existing representation.
  case any
  /// One of these tags.
  case tags([EntityTag])

  /// Reads a field value.
  ///
  /// - Throws: `FieldError` of kind `malformed` when an element is not an entity tag or the list is empty, and of kind `tooMany`
  ///   beyond `maximumTags`.
  package init(_ value: String) throws(FieldError) {
    let bytes = value.utf8Span.span
    var tags: [EntityTag] = []
    var index = 0
    FieldSyntax.skipWhitespace(bytes, &index)
    if FieldSyntax.skip(0x2A, bytes, &index) {
      FieldSyntax.skipWhitespace(bytes, &index)
      guard index == bytes.count else { throw Self.error(.malformed, index) }
      self = .any
      return
    }
    // `FieldList` does not fit: a backslash in a tag escapes nothing.
    while index < bytes.count {
      if FieldSyntax.skip(0x2C, bytes, &index) || FieldSyntax.isWhitespace(bytes[index]) {
        FieldSyntax.skipWhitespace(bytes, &index)
        continue
      }
      guard tags.count < Self.maximumTags else { throw Self.error(.tooMany, index) }
      let start = index
      guard let tag = EntityTag.read(bytes, &index) else { throw Self.error(.malformed, start) }
      tags.append(tag)
      FieldSyntax.skipWhitespace(bytes, &index)
      guard index == bytes.count || bytes[index] == 0x2C else { throw Self.error(.malformed, index) }
    }
    guard !tags.isEmpty else { throw Self.error(.malformed, index) }
    self = .tags(tags)
  }

  /// Returns whether the condition matches the current representation.
  ///
  /// `If-Match` compares strongly and requires true; `If-None-Match` compares weakly and requires false.
  ///
  /// - Parameter current: The tag of the current representation; nil if it has none.
  package func contains(_ current: EntityTag?, strongly: Bool) -> Bool {
    switch self {
    case .any: return true
    case .tags(let tags):
      guard let current else { return false }
      return tags.contains { strongly ? $0.matchesStrongly(current) : $0.matchesWeakly(current) }
    }
  }

  /// The field value.
  package var description: String {
    switch self {
    case .any: "*"
    case .tags(let tags): tags.map(\.description).joined(separator: ", ")
    }
  }

  private static func error(_ kind: FieldError.Kind, _ offset: Int) -> FieldError {
    FieldError(kind, field: "If-Match or If-None-Match", offset: offset)
  }
}
