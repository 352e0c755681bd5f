import CurlewCore

/// The form of each line about something that failed: what it is, how it failed, at which stage, and what to do.
///
/// ```
/// curlew: GET https://h/: The server answered 404 Not Found (unacceptable-status, while validating the response); check the URL.
/// ```
enum FailureLine {
  /// Returns the line.
  ///
  /// - Parameters:
  ///   - subject: What failed: method and URL, a host, or a file.
  ///   - message: A sentence, with or without a full stop.
  ///   - stage: The end of the sentence "while …".
  ///   - advice: What to do, as the end of a sentence.
  static func text(
    _ subject: String, _ message: String, kind: NetworkError.Kind, stage: String, attempts: Int = 1,
    advice: String? = nil
  ) -> String {
    let tries = attempts > 1 ? ", after \(attempts) attempts" : ""
    let end = advice.map { "; \($0)" } ?? ""
    return "curlew: \(subject): \(clause(message)) (\(kind.rawValue), while \(stage)\(tries))\(end)."
  }

  /// Returns a sentence without its full stop.
  static func clause(_ sentence: String) -> String { sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence }
}
