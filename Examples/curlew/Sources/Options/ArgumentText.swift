import ArgumentParser

extension String {
  /// Returns the parts before and after the first separator, if there is one.
  ///
  /// It compares scalars, because a combining mark after the separator would form another character with it.
  func parted(at separator: Unicode.Scalar) -> (Substring, Substring)? {
    guard let place = unicodeScalars.firstIndex(of: separator) else { return nil }
    return (self[..<place], self[unicodeScalars.index(after: place)...])
  }

  /// The text after a leading `@`; nil without one.
  var fileReference: Substring? {
    guard unicodeScalars.first == "@" else { return nil }
    return self[unicodeScalars.index(after: startIndex)...]
  }
}

/// Returns the path of an option unchanged.
///
/// - Throws: `ValidationError` for an empty path, which an unset variable of a script leaves.
@Sendable func checkedPath(_ argument: String) throws -> String {
  guard !argument.isEmpty else { throw ValidationError("The path is empty.") }
  return argument
}
