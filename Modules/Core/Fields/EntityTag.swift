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
    !isWeak && !other.isWeak && opaque == other.opaque
  }

  /// Returns whether both tags are equal, weak or not.
  ///
  /// This comparison suffices to reuse a stored response.
  public func matchesWeakly(_ other: EntityTag) -> Bool {
    opaque == other.opaque
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
