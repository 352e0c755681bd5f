import CurlewCore

/// A host as policies and identities are filed under it: every way to write one host is one.
///
/// Lower case, A-labels, an IPv6 address without brackets, a name without the root's dot: `api.example.` is served by whom
/// `api.example` is, so it must not slip past that host's pins.
enum PolicyHost {
  /// Of a host as somebody wrote it; nil when it is none.
  static func of(written text: String) -> (host: String, isName: Bool)? {
    let isBare = text.utf8.contains(UInt8(ascii: ":")) && !text.hasPrefix("[")
    guard let name = try? HostName(isBare ? "[" + text + "]" : text) else { return nil }
    return (of(canonical: name.text), name.kind == .name)
  }

  /// Of a host that is canonical but for brackets, the root's dot and case.
  static func of(canonical host: String) -> String {
    let host = host.lowercased()
    if host.hasPrefix("["), host.hasSuffix("]") { return String(host.dropFirst().dropLast()) }
    return host.hasSuffix(".") ? String(host.dropLast()) : host
  }

  /// What is filed by hosts and wildcards as somebody wrote them.
  ///
  /// - Throws: `SecurityError` of kind `malformedHost` when one is no host, or is there twice.
  static func table<Value>(_ written: [String: Value]) throws(SecurityError) -> [String: Value] {
    var table: [String: Value] = [:]
    for (text, value) in written {
      let isWildcard = text.hasPrefix("*.")
      guard let name = of(written: isWildcard ? String(text.dropFirst(2)) : text), !isWildcard || name.isName else {
        throw SecurityError(.malformedHost, "What is filed by host is named after what is no host: \(text)")
      }
      let canonical = isWildcard ? "*." + name.host : name.host
      guard table.updateValue(value, forKey: canonical) == nil else {
        throw SecurityError(.malformedHost, "\(canonical) is there twice.")
      }
    }
    return table
  }

  /// What is filed for a canonical host: exactly, else by the wildcard in place of its first label.
  static func find<Value>(_ host: String, in table: [String: Value]) -> Value? {
    let host = of(canonical: host)
    if let exact = table[host] { return exact }
    guard let dot = host.firstIndex(of: "."), dot != host.startIndex else { return nil }
    return table["*" + host[dot...]]
  }
}
