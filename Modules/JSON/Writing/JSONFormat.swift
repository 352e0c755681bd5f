/// How JSON text is laid out.
public struct JSONFormat: Sendable, Hashable {
  /// The order of an object's members in the text.
  public enum MemberOrder: Sendable, Hashable {
    /// As the object has them.
    case source
    /// By the UTF-16 code units of their names (RFC 8785 §3.2.3).
    case sorted
  }

  /// The spaces that a level is indented by, each member and element on a line of its own; nil for a single line.
  public var indentation: Int?

  /// The order of members; that of the source by default.
  public var memberOrder: MemberOrder

  /// Makes a format; by default the canonical one, on one line without any space.
  public init(indentation: Int? = nil, memberOrder: MemberOrder = .source) {
    self.indentation = indentation
    self.memberOrder = memberOrder
  }

  /// One line without space: members in source order, numbers as they were written, only the mandatory escapes.
  public static let canonical = JSONFormat()

  /// One line without space, members sorted by name.
  public static let sorted = JSONFormat(memberOrder: .sorted)

  /// Indented by two spaces, members in source order.
  public static let pretty = JSONFormat(indentation: 2)
}
