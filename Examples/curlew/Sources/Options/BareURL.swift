import Glibc

/// Completes a URL that is written without a scheme.
enum BareURL {
  /// Returns the URL with a scheme; a text that is no host, or has one already, stays as it is.
  ///
  /// This machine, also written `:8000/x`, gets the plain scheme: what is sent to it passes no network. Any other host gets the one
  /// with TLS, so that nothing is sent in clear unless the URL says so.
  static func completed(_ text: String, secure: String = "https", plain: String = "http") -> String {
    guard !text.contains("://") else { return text }
    let authority = text.prefix { !"/?#".contains($0) }
    guard let host = host(of: authority) else { return text }
    if host.isEmpty { return "\(plain)://localhost\(text)" }
    return "\(isThisMachine(host) ? plain : secure)://\(text)"
  }

  /// Returns the URL with each space behind the host as `%20`, which is what someone means who writes one.
  static func encoded(_ url: String) -> String {
    let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
    guard let end = url[start...].firstIndex(where: { "/?#".contains($0) }) else { return url }
    return String(url[..<end]) + String(url[end...]).replacing(" ", with: "%20")
  }

  /// Returns the first text of a URL that curl takes for a range or a list: `[1-3]`, or in the path `{a,b}`.
  static func glob(in url: String) -> String? {
    let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
    guard let end = url[start...].firstIndex(where: { "/?#".contains($0) }) else { return nil }
    let path = url[end...].prefix { $0 != "?" }
    let range = url[end...].firstMatch(of: /\[(?:[0-9]+-[0-9]+|[a-zA-Z]-[a-zA-Z])(?::[0-9]+)?\]/)?.output
    return (range ?? path.firstMatch(of: /\{[^{}]*,[^{}]*\}/)?.output).map(String.init)
  }

  /// Returns the host of `HOST`, `HOST:PORT` or `:PORT`; nil for another text.
  private static func host(of authority: Substring) -> Substring? {
    var host = authority
    let afterAddress = authority.lastIndex(of: "]") ?? authority.startIndex
    if let colon = authority[afterAddress...].lastIndex(of: ":") {
      let port = authority[authority.index(after: colon)...]
      guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      host = authority[..<colon]
      if host.isEmpty { return host }
    }
    if host.hasPrefix("["), host.hasSuffix("]") { return host }
    guard let first = host.unicodeScalars.first, isLetterOrDigit(first) else { return nil }
    return host.unicodeScalars.allSatisfy { isLetterOrDigit($0) || ".-_".unicodeScalars.contains($0) } ? host : nil
  }

  private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
  }

  /// Whether a host is this machine by its name or its address, without a lookup.
  private static func isThisMachine(_ host: Substring) -> Bool {
    if ["localhost", "[::1]"].contains(host.lowercased()) { return true }
    var address = in_addr()
    // In network order, so the first byte of the address is the first of the number's.
    guard inet_pton(AF_INET, String(host), &address) == 1 else { return false }
    return UInt32(bigEndian: address.s_addr) >> 24 == 127
  }
}
