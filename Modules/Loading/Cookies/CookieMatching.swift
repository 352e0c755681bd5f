import CurlewCore

/// Matches hosts and paths with those of cookies (RFC 6265 §5.1.3–4).
enum CookieMatching {
  /// Returns whether a request's host is a domain or a subdomain of it.
  ///
  /// An address has no parent domain.
  static func host(_ origin: Origin, matches domain: String) -> Bool {
    origin.host == domain || !origin.isIPAddress && isBelow(origin.host, domain)
  }

  /// Returns whether a name equals another one or is a subdomain of it.
  static func isBelow(_ name: String, _ domain: String) -> Bool {
    name == domain || name.utf8.count > domain.utf8.count && name.hasSuffix("." + domain)
  }

  /// Returns the domains with cookies for a host, the host itself first.
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

  /// Returns whether a cookie's path is a request's path or a parent of it.
  static func path(_ path: String, matches cookiePath: String) -> Bool {
    guard path.utf8.count > cookiePath.utf8.count else { return path == cookiePath }
    guard path.utf8.starts(with: cookiePath.utf8) else { return false }
    return cookiePath.utf8.last == UInt8(ascii: "/")
      || path.utf8.dropFirst(cookiePath.utf8.count).first == UInt8(ascii: "/")
  }

  /// Returns the default path of a cookie: the request's, up to its last slash.
  static func defaultPath(_ path: String) -> String {
    guard path.utf8.first == UInt8(ascii: "/"), let last = path.utf8.lastIndex(of: UInt8(ascii: "/")),
      last > path.startIndex
    else { return "/" }
    return String(path[..<last])
  }
}
