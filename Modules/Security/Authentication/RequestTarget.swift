import CurlewCore

/// Path and query of a URL as they stand in the request line.
enum RequestTarget {
  /// What follows the authority, without the fragment, and beginning with a slash.
  static func text(of place: RequestPlace) -> String { place.target.map { String($0) } ?? "/" }

  /// The path alone; nil when it has segments of dots, which a server may resolve to another place.
  static func plainPath(of place: RequestPlace) -> String? {
    let path = text(of: place).prefix { $0 != "?" }
    let segments = path.lowercased().split(separator: "/", omittingEmptySubsequences: false)
    let hasDots = segments.contains { segment in
      let plain = segment.split(separator: "%2e", omittingEmptySubsequences: false).joined(separator: ".")
      return plain == "." || plain == ".."
    }
    return hasDots ? nil : String(path)
  }
}
