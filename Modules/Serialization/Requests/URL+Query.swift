import CurlewCore
public import FoundationEssentials

extension URL {
  /// This URL with more in its query, in front of a fragment.
  ///
  /// - Parameter query: Escaped text without `?`; nothing changes when it is empty.
  /// - Throws: `NetworkError` of kind `invalidURL` when the result is no URL.
  public func appendingQuery(_ query: String) throws -> URL {
    guard !query.isEmpty else { return self }
    let text = absoluteString
    let hash = text.firstIndex(of: "#") ?? text.endIndex
    let head = text[..<hash]
    let separator = !head.contains("?") ? "?" : head.hasSuffix("?") || head.hasSuffix("&") ? "" : "&"
    guard let url = URL(string: head + separator + query + text[hash...]) else {
      throw NetworkError(.invalidURL, stage: .preparing, message: "The URL with its parameters is no URL.")
    }
    return url
  }
}
