import CurlewCore

/// Which hosts and paths a cookie is for (RFC 6265 §5.1.3–4).
enum CookieMatching {
  /// Whether a request's host is a domain or below it; an address is below nothing.
  static func host(_ origin: Origin, matches domain: String) -> Bool {
    origin.host == domain || !origin.isIPAddress && isBelow(origin.host, domain)
  }

  /// Whether a name is another one or below it.
  static func isBelow(_ name: String, _ domain: String) -> Bool {
    name == domain || name.utf8.count > domain.utf8.count && name.hasSuffix("." + domain)
  }

  /// The domains whose cookies may go to a host, itself first; of them those that a jar has.
  static func domains(of origin: Origin, where has: (String) -> Bool) -> [String] {
    var domains: [String] = []
    if has(origin.host) { domains.append(origin.host) }
    guard !origin.isIPAddress else { return domains }
    var rest = origin.host[...]
    while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
      rest = rest[rest.utf8.index(after: dot)...]
      let domain = String(rest)
      if !domain.isEmpty, has(domain) { domains.append(domain) }
    }
    return domains
  }

  /// Whether a request's path is a cookie's or below it.
  static func path(_ path: String, matches cookiePath: String) -> Bool {
    guard path.utf8.count > cookiePath.utf8.count else { return path == cookiePath }
    guard path.utf8.starts(with: cookiePath.utf8) else { return false }
    return cookiePath.utf8.last == UInt8(ascii: "/")
      || path.utf8.dropFirst(cookiePath.utf8.count).first == UInt8(ascii: "/")
  }

  /// The path of a cookie that names none: the request's up to its last slash.
  static func defaultPath(_ path: String) -> String {
    guard path.utf8.first == UInt8(ascii: "/"), let last = path.utf8.lastIndex(of: UInt8(ascii: "/")),
      last > path.startIndex
    else { return "/" }
    return String(path[..<last])
  }
}
