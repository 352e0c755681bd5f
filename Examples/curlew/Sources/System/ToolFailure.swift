import CurlewCore

/// The error that ends a whole run, as one sentence with advice.
struct ToolFailure: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// Creates the error for a file that an option names and that cannot be used.
  ///
  /// - Parameter deed: The failed action, such as `The report cannot be written`.
  init(_ deed: String, _ path: String, _ error: FileSystemError, advice: String) {
    description = "\(path): \(deed): \(error.reason); \(advice)."
  }
}
