extension MediaType {
  /// How closely a media type matches a pattern, from loose to exact.
  public enum Match: Int, Sendable, Hashable, Comparable {
    /// The pattern is `*/*`.
    case anything
    /// The pattern is `type/*`.
    case type
    /// The structured suffix is the pattern's subtype: `problem+json` for `json`.
    case suffix
    /// Type and subtype are equal.
    case exact

    /// Returns whether the left match is looser.
    public static func < (left: Match, right: Match) -> Bool { left.rawValue < right.rawValue }
  }

  /// Returns whether type and subtype are equal, regardless of parameters.
  public func hasSameEssence(as other: MediaType) -> Bool {
    subtype == other.subtype && type == other.type
  }

  /// Returns how this media type, used as a pattern, matches another one.
  ///
  /// The other type must have every parameter of the pattern with the same value; `charset` is compared by its canonical name.
  /// A pattern matches a structured suffix in three forms: `application/json` matches `application/problem+json` and
  /// `image/x+json`, `application/*+json` matches within its type, and `*/*+json` matches in every type. The result is nil
  /// without a match.
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
