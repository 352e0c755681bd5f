extension MediaType {
  /// How closely a media type answers to a pattern, the loosest first.
  public enum Match: Int, Sendable, Hashable, Comparable {
    /// The pattern is `*/*`.
    case anything
    /// The pattern is `type/*`.
    case type
    /// The structured suffix is the pattern's subtype, as `problem+json` for `json`.
    case suffix
    /// Type and subtype are equal.
    case exact

    /// Returns whether the left match is the looser one.
    public static func < (left: Match, right: Match) -> Bool { left.rawValue < right.rawValue }
  }

  /// Returns whether type and subtype are equal, whatever the parameters.
  public func hasSameEssence(as other: MediaType) -> Bool {
    subtype == other.subtype && type == other.type
  }

  /// Returns how this media type, taken as a pattern, matches another.
  ///
  /// Nil when it does not.
  ///
  /// Every parameter of the pattern must be in the other with the same value; a `charset` is
  /// compared as a name. A pattern answers for a structured suffix in three spellings:
  /// `application/json` for `application/problem+json` and for `image/x+json`,
  /// `application/*+json` within its type, and `*/*+json`.
  public func match(_ other: MediaType) -> Match? {
    guard parametersMatch(other) else { return nil }
    if hasSameEssence(as: other) { return .exact }
    if type == "*", subtype == "*" { return .anything }
    if subtype == "*" { return type == other.type ? .type : nil }
    guard let suffix = other.suffix else { return nil }
    if subtype.utf8.starts(with: "*+".utf8) {
      let matches = subtype.utf8.dropFirst(2).elementsEqual(suffix.utf8)
      return matches && (type == "*" || type == other.type) ? .suffix : nil
    }
    return type == "application" && subtype == suffix ? .suffix : nil
  }

  private func parametersMatch(_ other: MediaType) -> Bool {
    parameters.allSatisfy { parameter in
      guard let value = other.parameters[parameter.name] else { return false }
      if parameter.name == "charset" { return charset == other.charset }
      return value == parameter.value
    }
  }
}
