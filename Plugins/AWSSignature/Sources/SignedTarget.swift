/// The path and the query of a request: as they are sent, and as they are signed.
///
/// What is sent is written so that no server can read it in two ways: each item of the query, and the key of an object in S3, have the
/// escapes that the signature has. A plus is sent as `%2B`, since some servers take it for a space.
struct SignedTarget {
  /// The path that is sent.
  let sentPath: String
  /// The query that is sent, without its question mark; nil if there is none.
  let sentQuery: String?
  /// The canonical URI of the signature.
  let path: String
  /// The canonical query string of the signature.
  let query: String

  /// Splits a target into what is sent and what is signed.
  ///
  /// - Parameters:
  ///   - target: A path with its query, as in a request line.
  ///   - isObject: Whether the path is the key of an object in S3. It is then signed as it is, with its dot segments and repeated slashes,
  ///     which belong to the key. Other services sign the path without them, and escape its escapes.
  init(_ target: String, isObject: Bool) {
    let mark = target.utf8.firstIndex(of: UInt8(ascii: "?"))
    let path = target[..<(mark ?? target.endIndex)]
    if isObject {
      sentPath = PercentEncoding.encoded(PercentEncoding.decoded(path.utf8), keepsSlash: true)
      self.path = sentPath
    } else {
      sentPath = String(path)
      self.path = PercentEncoding.encoded(Self.normalized(path).utf8, keepsSlash: true)
    }
    let items = mark.map { Self.items(of: target[target.utf8.index(after: $0)...]) } ?? []
    sentQuery = items.isEmpty ? nil : items.map(\.sent).joined(separator: "&")
    query = Self.canonical(items)
  }

  /// The target to send.
  var sent: String { sentQuery.map { sentPath + "?" + $0 } ?? sentPath }

  /// One item of a query, with its name and value escaped.
  private struct Item {
    var name: String
    var value: String
    var hasValue: Bool
    var sent: String { hasValue ? name + "=" + value : name }
  }

  /// Returns the items in their order; empty ones between two `&` are left out.
  private static func items(of query: Substring) -> [Item] {
    query.split(separator: "&").map { text in
      let end = text.firstIndex(of: "=")
      let value = end.map { text[text.index(after: $0)...] } ?? ""
      return Item(
        name: PercentEncoding.encoded(PercentEncoding.decoded(text[..<(end ?? text.endIndex)].utf8)),
        value: PercentEncoding.encoded(PercentEncoding.decoded(value.utf8)), hasValue: end != nil)
    }
  }

  private static func canonical(_ items: [Item]) -> String {
    items.sorted { ($0.name, $0.value) < ($1.name, $1.value) }.map { $0.name + "=" + $0.value }.joined(separator: "&")
  }

  /// Returns a path without dot segments and repeated slashes.
  private static func normalized(_ path: Substring) -> String {
    var kept: [Substring] = []
    for segment in path.split(separator: "/") where segment != "." {
      if segment == ".." { _ = kept.popLast() } else { kept.append(segment) }
    }
    return "/" + kept.joined(separator: "/") + (path.hasSuffix("/") && !kept.isEmpty ? "/" : "")
  }
}
