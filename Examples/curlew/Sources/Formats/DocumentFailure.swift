import ArgumentParser
import CurlewCore

/// Why a document cannot be read or written, as one sentence.
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
    // The cause knows line and column.
    return error.details.underlying.map { "\($0)" } ?? error.message
  }

  /// Says it on standard error.
  ///
  /// - Returns: What ends the program with exit code 1.
  func reported() -> ExitCode {
    StandardError.write("curlew: \(input.name): \(reason)\(reason.hasSuffix(".") ? "" : ".")")
    return .failure
  }
}
