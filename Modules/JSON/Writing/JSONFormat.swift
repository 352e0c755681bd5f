/// The layout of JSON text.
public struct JSONFormat: Sendable, Hashable {
  /// The order of an object's members in the text.
  public enum MemberOrder: Sendable, Hashable {
    /// The order of the object itself.
    case source
    /// By the UTF-16 code units of their names (RFC 8785 §3.2.3).
    case sorted
  }

  /// The indentation per level in spaces; nil writes a single line.
  public var indentation: Int?

  /// The order of members; that of the object by default.
  public var memberOrder: MemberOrder

  /// Creates a format; by default one line without spaces.
  public init(indentation: Int? = nil, memberOrder: MemberOrder = .source) {
    self.indentation = indentation
    self.memberOrder = memberOrder
  }

  /// One line without spaces, members in source order.
  ///
  /// Numbers keep their digits, and only mandatory escapes are written.
  public static let canonical = JSONFormat()

  /// One line without spaces, members sorted by name.
  public static let sorted = JSONFormat(memberOrder: .sorted)

  /// Indented by two spaces, members in source order.
  public static let pretty = JSONFormat(indentation: 2)
}
