import CurlewCore

/// A host as policies are filed under it: every way to write one host is one.
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
}
