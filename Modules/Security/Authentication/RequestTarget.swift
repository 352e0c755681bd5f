import CurlewCore

/// The path and the query of a URL, as the request line contains them.
enum RequestTarget {
  /// Returns path and query, beginning with a slash and without the fragment.
  static func text(of place: ParsedURL) -> String { place.target.map { String($0) } ?? "/" }

  /// Returns the path alone, or nil when it has dot segments.
  ///
  /// A server may resolve those to another path, which another protection space may cover.
  static func plainPath(of place: ParsedURL) -> String? {
    let path = text(of: place).prefix { $0 != "?" }
    let segments = path.lowercased().split(separator: "/", omittingEmptySubsequences: false)
    let hasDots = segments.contains { segment in
      let plain = segment.split(separator: "%2e", omittingEmptySubsequences: false).joined(separator: ".")
      return plain == "." || plain == ".."
    }
    return hasDots ? nil : String(path)
  }
}
