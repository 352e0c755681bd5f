import ArgumentParser
import CurlewCore

/// The reason why a document cannot be read or written, as a sentence.
struct DocumentFailure: Error {
  private let reason: String
  private let input: InputFile

  init(_ error: any Error, in input: InputFile) {
    self.input = input
    reason = Self.reason(error)
  }

  private static func reason(_ error: any Error) -> String {
    guard let error = error as? NetworkError else { return "\(error)" }
    if error.kind == .unacceptableContentType { return "neither name nor content tell its format; say which it is" }
    // The cause includes line and column.
    return error.details.underlying.map { "\($0)" } ?? error.message
  }

  /// Prints the reason on standard error.
  ///
  /// - Returns: The exit code 1.
  func reported() -> ExitCode {
    StandardError.write("curlew: \(input.name): \(reason)\(reason.hasSuffix(".") ? "" : ".")")
    return .failure
  }
}
