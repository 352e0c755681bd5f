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
