import CurlewCore
public import FoundationEssentials

extension URL {
  /// Returns this URL with an extended query.
  ///
  /// - Parameter query: Escaped text without `?`; an empty one changes nothing.
  /// - Throws: `NetworkError` of kind `invalidURL` when the result is not a valid URL.
  public func appendingQuery(_ query: String) throws -> URL {
    guard !query.isEmpty else { return self }
    let text = absoluteString
    let hash = text.firstIndex(of: "#") ?? text.endIndex
    let head = text[..<hash]
    let separator = !head.contains("?") ? "?" : head.hasSuffix("?") || head.hasSuffix("&") ? "" : "&"
    guard let url = URL(string: head + separator + query + text[hash...]) else {
      throw NetworkError(
        .invalidURL, stage: .preparing, message: "The URL is invalid after its parameters are added to the query.")
    }
    return url
  }
}
