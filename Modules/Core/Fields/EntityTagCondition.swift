/// What `If-Match` and `If-None-Match` ask for (RFC 9110 §13.1.1, §13.1.2).
public enum EntityTagCondition: Sendable, Hashable, CustomStringConvertible {
  /// The most tags that are read.
  public static let maximumTags = 1024

  /// `*`: any representation at all.
  case any
  /// One of these tags.
  case tags([EntityTag])

  /// Reads a field value.
  ///
  /// Throws `malformed` when an element is no entity tag or there is none, `tooMany` beyond
  /// `maximumTags`.
  public init(_ value: String) throws(FieldError) {
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
    // A backslash in a tag is no escape, so that the general list does not fit.
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

  /// Returns whether it names a representation that is there, by its tag or by the `*`.
  ///
  /// `If-Match` asks strongly and wants true, `If-None-Match` asks weakly and wants false.
  public func contains(_ current: EntityTag?, strongly: Bool) -> Bool {
    switch self {
    case .any: return true
    case .tags(let tags):
      guard let current else { return false }
      return tags.contains { strongly ? $0.matchesStrongly(current) : $0.matchesWeakly(current) }
    }
  }

  /// The field value.
  public var description: String {
    switch self {
    case .any: "*"
    case .tags(let tags): tags.map(\.description).joined(separator: ", ")
    }
  }

  private static func error(_ kind: FieldError.Kind, _ offset: Int) -> FieldError {
    FieldError(kind, field: "If-Match or If-None-Match", offset: offset)
  }
}
