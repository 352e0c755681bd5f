import CurlewCore

/// The canonical form of hosts, by which policies and identities are looked up.
///
/// It is in lower case, with A-labels, IPv6 addresses without brackets and names without a trailing dot. `api.example.` is the
/// same server as `api.example`, so it must not escape that host's pins.
enum PolicyHost {
  /// Returns the canonical form of a host as written, or nil when it is invalid.
  static func of(written text: String) -> (host: String, isName: Bool)? {
    let isBare = text.utf8.contains(UInt8(ascii: ":")) && !text.hasPrefix("[")
    guard let name = try? HostName(isBare ? "[" + text + "]" : text) else { return nil }
    return (of(canonical: name.text), name.kind == .name)
  }

  /// Returns the canonical form of a host that was already parsed.
  ///
  /// It differs at most in brackets, a trailing dot and case.
  static func of(canonical host: String) -> String {
    let host = host.lowercased()
    if host.hasPrefix("["), host.hasSuffix("]") { return String(host.dropFirst().dropLast()) }
    return host.hasSuffix(".") ? String(host.dropLast()) : host
  }

  /// Returns a table by canonical host or wildcard.
  ///
  /// - Throws: `SecurityError` of kind `malformedHost` when a host is invalid or named twice.
  static func table<Value>(_ written: [String: Value]) throws(SecurityError) -> [String: Value] {
    var table: [String: Value] = [:]
    for (text, value) in written {
      let isWildcard = text.hasPrefix("*.")
      guard let name = of(written: isWildcard ? String(text.dropFirst(2)) : text), !isWildcard || name.isName else {
        throw SecurityError(.malformedHost, "\(text) is neither a host nor `*.` and a host name.")
      }
      let canonical = isWildcard ? "*." + name.host : name.host
      guard table.updateValue(value, forKey: canonical) == nil else {
        throw SecurityError(.malformedHost, "\(canonical) is named twice; name each host once.")
      }
    }
    return table
  }

  /// Returns the value for a canonical host: an exact match, else a wildcard's.
  ///
  /// A wildcard replaces exactly the first label.
  static func find<Value>(_ host: String, in table: [String: Value]) -> Value? {
    let host = of(canonical: host)
    if let exact = table[host] { return exact }
    guard let dot = host.firstIndex(of: "."), dot != host.startIndex else { return nil }
    return table["*" + host[dot...]]
  }
}
