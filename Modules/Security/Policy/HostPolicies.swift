public import CurlewCore
import CurlewDigests
import FoundationEssentials

/// Decides by a policy of each host's own.
///
/// A host is written as in a URL, or `*.` and a name for any one label before that name; a dot at its end makes no
/// difference. An exact host goes before a
/// wildcard. What the handshake must be told is asked for before the host is known, so the strictest of all policies
/// holds for every host: the highest TLS version, a stapled response as soon as one of them wants it, and no plain `http` as
/// soon as one of them pins.
public struct HostPolicies: ServerTrustEvaluating {
  /// The policies of hosts, by canonical host or wildcard; IPv6 without brackets.
  public let policies: [String: SecurityPolicy]
  /// What decides on other hosts; nil refuses them.
  public let otherHosts: SecurityPolicy?
  /// A SHA-256 of hosts and policies.
  public let connectionKey: ConnectionKey

  /// Makes an evaluator of policies by host.
  ///
  /// - Parameters:
  ///   - policies: By host or wildcard, in any case.
  ///   - otherHosts: What decides on hosts that are not named; nil refuses them.
  /// - Throws: `SecurityError` of kind `malformedHost` when one is no host, or is there twice; of kind `unavailable`
  ///   without SHA-256.
  public init(_ policies: [String: SecurityPolicy], otherHosts: SecurityPolicy?) throws(SecurityError) {
    let named = try PolicyHost.table(policies)
    self.policies = named
    self.otherHosts = otherHosts
    // No host and no key has a space or a line feed.
    var text = "others \(otherHosts?.connectionKey.text ?? "refused")\n"
    for (host, policy) in named.sorted(by: { $0.key < $1.key }) { text += "\(host) \(policy.connectionKey.text)\n" }
    guard let digest = try? Digest.of(Data(text.utf8), .sha256), digest.count == 32 else {
      throw SecurityError(.unavailable, "This system's OpenSSL offers no SHA-256.")
    }
    connectionKey = ConnectionKey("hosts-" + digest.hexadecimal)
  }

  /// The strictest of all policies.
  public var requirements: HandshakeRequirements {
    let all = (Array(policies.values) + [otherHosts].compactMap { $0 }).map(\.requirements)
    return HandshakeRequirements(
      leastVersion: all.compactMap(\.leastVersion).max(),
      requiresStapledOCSP: all.contains { $0.requiresStapledOCSP },
      refusesPlainHTTP: all.contains { $0.refusesPlainHTTP })
  }

  /// The policy of a canonical host; nil when it is refused.
  public func policy(for host: String) -> SecurityPolicy? {
    PolicyHost.find(host, in: policies) ?? otherHosts
  }

  /// Returns when the host's policy trusts the server.
  ///
  /// - Throws: As `SecurityPolicy.evaluate`; with reason `policy` when the host has none.
  public func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {
    guard let policy = policy(for: trust.host) else {
      throw ServerTrustError(.policy, message: "No policy is there for \(trust.host).")
    }
    try policy.evaluate(trust)
  }
}
