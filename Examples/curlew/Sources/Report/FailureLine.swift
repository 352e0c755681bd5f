import CurlewCore

/// The form of each line about something that failed: what it is, how it failed, at which stage, and what to do.
///
/// ```
/// curlew: GET https://h/: The body is longer than 5 bytes (body-too-large, while receiving the body); raise --max-size.
/// ```
///
/// That a server answered with a status says how it failed, and when.
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
    let how = kind == .unacceptableStatus ? [] : [kind.rawValue, "while \(stage)"]
    let remarks = how + (attempts > 1 ? ["after \(attempts) attempts"] : [])
    let remark = remarks.isEmpty ? "" : " (\(remarks.joined(separator: ", ")))"
    return "curlew: \(subject): \(clause(message))\(remark)\(advice.map { "; \($0)" } ?? "")."
  }

  /// Returns a sentence without its full stop.
  static func clause(_ sentence: String) -> String { sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence }
}
