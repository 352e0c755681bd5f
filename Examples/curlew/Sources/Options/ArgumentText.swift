import ArgumentParser

extension String {
  /// What stands before and behind the first separator; nil where there is none.
  ///
  /// By scalars, since a mark that combines with a separator makes another character of it.
  func parted(at separator: Unicode.Scalar) -> (Substring, Substring)? {
    guard let place = unicodeScalars.firstIndex(of: separator) else { return nil }
    return (self[..<place], self[unicodeScalars.index(after: place)...])
  }

  /// What stands behind a leading `@`; nil where there is none.
  var fileReference: Substring? {
    guard unicodeScalars.first == "@" else { return nil }
    return self[unicodeScalars.index(after: startIndex)...]
  }
}

/// The path of an option, as it is.
///
/// - Throws: `ValidationError` for one without a character, which a script's unset variable leaves.
@Sendable func checkedPath(_ argument: String) throws -> String {
  guard !argument.isEmpty else { throw ValidationError("A path has at least one character.") }
  return argument
}
