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

/// A value of an option, which explains how it is written when it refuses a text.
protocol ExplainedArgument: SendableMetatype {
  /// Reads the text; nil if it is refused.
  init?(argument: String)
  /// Returns why a text is refused, and how it is written.
  static func problem(of argument: String) -> String
}

extension ExplainedArgument {
  /// Reads the text of an option.
  ///
  /// - Throws: `ValidationError` with the problem.
  @Sendable static func read(_ argument: String) throws -> Self {
    guard let value = Self(argument: argument) else { throw ValidationError(problem(of: argument)) }
    return value
  }
}

/// Returns the path of an option unchanged.
///
/// - Throws: `ValidationError` for an empty path, which an unset variable of a script leaves.
@Sendable func checkedPath(_ argument: String) throws -> String {
  guard !argument.isEmpty else { throw ValidationError("The path is empty.") }
  return argument
}

/// Returns the path of a directory unchanged.
///
/// - Throws: `ValidationError` for an empty path, and for a URL, which follows `-O` in a command for curl.
@Sendable func checkedDirectory(_ argument: String) throws -> String {
  guard !argument.contains("://"), !argument.hasPrefix(":") else {
    throw ValidationError("-O takes a directory; write -O . before the URL to write into this one.")
  }
  return try checkedPath(argument)
}
