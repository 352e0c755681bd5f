/// The validator of one representation, as `"xyzzy"` or `W/"xyzzy"` (RFC 9110 §8.8.3).
///
/// There are two comparisons, so that the one in use is seen: `==` is neither of them but plain
/// equality of the values.
public struct EntityTag: Sendable, Hashable, CustomStringConvertible {
  /// Whether the tag is weak: the same for representations that are only equivalent.
  public let isWeak: Bool
  /// The characters between the quotes.
  public let opaque: String

  /// Creates a tag; nil when the text holds a quote, a space or a control character.
  public init?(_ opaque: String, isWeak: Bool) {
    guard opaque.utf8.allSatisfy(Self.isTagByte) else { return nil }
    self.opaque = opaque
    self.isWeak = isWeak
  }

  /// Reads an `ETag` value; nil when it is not one, as without quotes.
  public init?(_ text: String) {
    let bytes = text.utf8Span.span
    var index = 0
    guard let tag = Self.read(bytes, &index), index == bytes.count else { return nil }
    self = tag
  }

  /// Returns whether both are strong and equal: needed to join ranges or to overwrite.
  public func matchesStrongly(_ other: EntityTag) -> Bool {
    !isWeak && !other.isWeak && opaque == other.opaque
  }

  /// Returns whether both are equal, weak or not: enough to use a stored response again.
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
