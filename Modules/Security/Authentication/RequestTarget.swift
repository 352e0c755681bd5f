import FoundationEssentials

/// Path and query of a URL as they stand in the request line.
enum RequestTarget {
  /// What follows the authority, without the fragment, and beginning with a slash.
  static func text(of url: URL) -> String {
    let written = url.absoluteString
    guard let slashes = written.firstRange(of: "://") else { return "/" }
    let behind = written[slashes.upperBound...]
    let start = behind.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    let target = behind[(start ?? behind.endIndex)...].prefix { $0 != "#" }
    return target.utf8.first == UInt8(ascii: "/") ? String(target) : "/" + target
  }

  /// The path alone; nil when it has segments of dots, which a server may resolve to another place.
  static func plainPath(of url: URL) -> String? {
    let path = text(of: url).prefix { $0 != "?" }
    let segments = path.lowercased().split(separator: "/", omittingEmptySubsequences: false)
    let hasDots = segments.contains { segment in
      let plain = segment.split(separator: "%2e", omittingEmptySubsequences: false).joined(separator: ".")
      return plain == "." || plain == ".."
    }
    return hasDots ? nil : String(path)
  }
}
