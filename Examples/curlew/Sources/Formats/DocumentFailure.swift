import ArgumentParser
import CurlewCore

/// The reason why a document cannot be read or written, as a sentence.
struct DocumentFailure: Error {
  private let reason: String
  private let advice: String?
  private let kind: NetworkError.Kind
  private let input: InputFile
  private let stage: String

  /// - Parameter isWritten: Whether the document is written in a format, and not read.
  init(_ error: any Error, in input: InputFile, isWritten: Bool = false) {
    self.input = input
    let isUnknown = (error as? NetworkError)?.kind == .unacceptableContentType
    advice = isUnknown ? "say which it is, as in `curlew decode yaml`" : nil
    reason = isUnknown ? "neither name nor content tell its format" : Self.reason(error)
    kind = (error as? NetworkError)?.kind ?? (error is FileSystemError ? .fileError : .serializationFailed)
    stage = error is FileSystemError ? "reading it" : isWritten ? "encoding it" : "decoding it"
  }

  private static func reason(_ error: any Error) -> String {
    guard let error = error as? NetworkError else { return "\(error)" }
    // The cause includes line and column.
    return error.details.underlying.map { "\($0)" } ?? error.message
  }

  /// Prints the reason on standard error.
  ///
  /// - Returns: The exit code 1.
  func reported() -> ExitCode {
    StandardError.write(FailureLine.text(input.name, reason, kind: kind, stage: stage, advice: advice))
    return .failure
  }
}
