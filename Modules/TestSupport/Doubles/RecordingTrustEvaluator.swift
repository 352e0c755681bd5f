public import CurlewCore
package import FoundationEssentials

/// Decides about server trust as a test says, and records the calls.
///
/// Safe from any isolation.
public final class RecordingTrustEvaluator: ServerTrustEvaluating {
  /// Determines which requests may share a connection.
  public let connectionKey: ConnectionKey
  /// The requirements for the handshake.
  public let requirements: HandshakeRequirements
  private let verdict: @Sendable (ServerTrust) throws(ServerTrustError) -> Void
  private let seen = Guarded<[ServerTrust]>([])

  /// Creates an evaluator; without a verdict it accepts every server.
  public init(
    key: String = "recording", requirements: HandshakeRequirements = HandshakeRequirements(),
    verdict: @escaping @Sendable (ServerTrust) throws(ServerTrustError) -> Void = { _ in }
  ) {
    connectionKey = ConnectionKey(key)
    self.requirements = requirements
    self.verdict = verdict
  }

  /// The server trusts it has evaluated, in order.
  public var evaluated: [ServerTrust] { seen.withLock { $0 } }

  /// Records the call and decides.
  public func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {
    seen.withLock { $0.append(trust) }
    try verdict(trust)
  }
}

/// Trusts exactly one certificate chain, byte for byte.
package struct ExactTrustEvaluator: ServerTrustEvaluating {
  private let certificates: [Data]

  /// Creates an evaluator that trusts a chain.
  ///
  /// - Parameter certificates: The certificates as DER, leaf first.
  package init(_ certificates: [Data]) { self.certificates = certificates }

  /// A key derived from the chain.
  package var connectionKey: ConnectionKey {
    ConnectionKey("exact:" + certificates.map { $0.base64EncodedString() }.joined(separator: ","))
  }

  /// Compares the server's chain with the trusted one.
  package func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {
    guard trust.certificates == certificates else {
      throw ServerTrustError(
        .untrusted, message: "The server presents a different certificate chain than the trusted one.")
    }
  }
}
