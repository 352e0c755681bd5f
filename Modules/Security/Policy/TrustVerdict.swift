public import CurlewCore
public import FoundationEssentials

/// Why a server is trusted.
public struct TrustVerdict: Sendable, Hashable {
  /// The certificates from the leaf to the anchor, DER; empty when the policy asked for no chain.
  public var verifiedChain: [Data]
  /// The pin that matched; nil when none was looked for, or a mismatch was reported only.
  public var pin: PinMatch?
}

/// A pin that matched.
public struct PinMatch: Sendable, Hashable {
  /// Position of the certificate in the verified chain, 0 is the leaf.
  public var certificate: Int
  /// Its key.
  public var pin: PublicKeyPin
  /// Whether it was a backup: time to renew the others.
  public var isBackup: Bool
}

/// A server whose pins did not match.
public struct TrustReport: Sendable, Hashable {
  /// What the server showed.
  public var trust: ServerTrust
  /// What did not match.
  public var error: ServerTrustError
  /// Whether the connection was refused for it.
  public var wasEnforced: Bool
}
