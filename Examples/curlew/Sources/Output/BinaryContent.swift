import CurlewCore

/// Keeps bytes off a terminal that would garble it, or control it.
enum BinaryContent {
  /// Returns whether the first bytes of a body are not text.
  ///
  /// Text has no NUL, and is UTF-8 unless its media type says that it is text in another charset.
  static func isBinary(_ bytes: UnsafeRawBufferPointer, _ type: MediaType?) -> Bool {
    let start = bytes.prefix(2_000)
    if start.contains(0) { return true }
    guard type?.type != "text" else { return false }
    // A character may be cut at the end.
    return (0...3).allSatisfy { cut in String(validating: start.dropLast(cut), as: UTF8.self) == nil }
  }

  /// Returns the failure that says what the body is, and how to print it all the same.
  static func refusal(_ head: ResponseHead) -> FetchFailure {
    let size = head.expectedLength.map { ", " + DecimalText.bytes($0) } ?? ""
    return FetchFailure(
      kind: "binary-output", stage: .receivingBody,
      message:
        "The body is not text (\(head.mediaType?.essence ?? "without a type")\(size)), and would garble the terminal; "
        + "write it to a file with -o FILE, or print it with -o -.")
  }
}
