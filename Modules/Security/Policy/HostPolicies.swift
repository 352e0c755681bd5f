public import CurlewCore
import CurlewDigests
import FoundationEssentials

/// A trust evaluator with a security policy for each host.
///
/// A key is a host as in a URL, or `*.` and a name: the wildcard stands for exactly one label. A trailing dot is ignored, and
/// an exact host wins over a wildcard. The handshake's requirements are needed before its host is known, so the strictest of
/// all policies apply to every host: the highest TLS version, a stapled response if one policy requires it, and no plain
/// `http` if one policy has pins.
public struct HostPolicies: ServerTrustEvaluating {
  /// The policies by canonical host or wildcard; IPv6 without brackets.
  public let policies: [String: SecurityPolicy]
  /// The policy of all other hosts; nil refuses them.
  public let otherHosts: SecurityPolicy?
  /// The SHA-256 of hosts and policies.
  public let connectionKey: ConnectionKey

  /// Creates an evaluator.
  ///
  /// - Parameters:
  ///   - policies: The policies by host or wildcard; upper and lower case are equal.
  ///   - otherHosts: The policy of hosts that are not named; nil refuses them.
  /// - Throws: `SecurityError` of kind `malformedHost` when a host is invalid or named twice; of kind `unavailable` without
  ///   SHA-256.
  public init(_ policies: [String: SecurityPolicy], otherHosts: SecurityPolicy?) throws(SecurityError) {
    let named = try PolicyHost.table(policies)
    self.policies = named
    self.otherHosts = otherHosts
    // Unambiguous, because neither a host nor a key contains a space or a line feed.
    var text = "others \(otherHosts?.connectionKey.text ?? "refused")\n"
    for (host, policy) in named.sorted(by: { $0.key < $1.key }) { text += "\(host) \(policy.connectionKey.text)\n" }
    guard let digest = try? Digest.of(Data(text.utf8), .sha256), digest.count == 32 else {
      throw SecurityError(.unavailable, "This system's OpenSSL offers no SHA-256.")
    }
    connectionKey = ConnectionKey("hosts-" + digest.hexadecimal)
  }

  /// The strictest requirements of all policies.
  public var requirements: HandshakeRequirements {
    let all = (Array(policies.values) + [otherHosts].compactMap { $0 }).map(\.requirements)
    return HandshakeRequirements(
      leastVersion: all.compactMap(\.leastVersion).max(),
      requiresStapledOCSP: all.contains { $0.requiresStapledOCSP },
      refusesPlainHTTP: all.contains { $0.refusesPlainHTTP })
  }

  /// Returns the policy of a canonical host, or nil when the host is refused.
  public func policy(for host: String) -> SecurityPolicy? {
    PolicyHost.find(host, in: policies) ?? otherHosts
  }

  /// Returns when the host's policy trusts the server.
  ///
  /// - Throws: The errors of `SecurityPolicy.evaluate`; `ServerTrustError` with reason `policy` when the host has no policy.
  public func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {
    guard let policy = policy(for: trust.host) else {
      throw ServerTrustError(.policy, message: "There is no security policy for \(trust.host).")
    }
    try policy.evaluate(trust)
  }
}

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
        throw SecurityError(.malformedHost, "\(canonical) is named twice.", advice: "Name each host once.")
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
