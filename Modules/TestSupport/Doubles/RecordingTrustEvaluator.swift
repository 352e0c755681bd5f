public import CurlewCore

/// Decides on server trust as a test says, and remembers what it was asked.
///
/// Safe from any isolation.
public final class RecordingTrustEvaluator: ServerTrustEvaluating {
  /// Which requests may share a connection.
  public let connectionKey: ConnectionKey
  /// What the handshake must be told.
  public let requirements: HandshakeRequirements
  private let verdict: @Sendable (ServerTrust) throws(ServerTrustError) -> Void
  private let seen = Guarded<[ServerTrust]>([])

  /// Makes an evaluator; without a verdict it accepts everything.
  public init(
    key: String = "recording", requirements: HandshakeRequirements = HandshakeRequirements(),
    verdict: @escaping @Sendable (ServerTrust) throws(ServerTrustError) -> Void = { _ in }
  ) {
    connectionKey = ConnectionKey(key)
    self.requirements = requirements
    self.verdict = verdict
  }

  /// What it was asked, in order.
  public var evaluated: [ServerTrust] { seen.withLock { $0 } }

  /// Remembers, then decides.
  public func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {
    seen.withLock { $0.append(trust) }
    try verdict(trust)
  }
}
