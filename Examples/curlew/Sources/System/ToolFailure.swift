import CurlewCore

/// What keeps a whole run from its work, as one sentence that says what to do.
struct ToolFailure: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// A file that an option names and that is of no use.
  ///
  /// - Parameter deed: What it is needed for: `The report cannot be written`.
  init(_ deed: String, _ path: String, _ error: FileSystemError, advice: String) {
    description = "\(deed), \(path): \(error.reason); \(advice)."
  }
}
