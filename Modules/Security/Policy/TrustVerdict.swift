public import CurlewCore
public import FoundationEssentials

/// The reasons why a server is trusted.
public struct TrustVerdict: Sendable, Hashable {
  /// The verified certificates from the leaf to the anchor, in DER.
  ///
  /// Empty when the policy verifies no chain.
  public var verifiedChain: [Data]
  /// The pin that matched.
  ///
  /// Nil when pins were not checked, or a mismatch was only reported.
  public var pin: PinMatch?
}

/// A pin that matched.
public struct PinMatch: Sendable, Hashable {
  /// The position of the certificate in the verified chain; 0 is the leaf.
  public var certificate: Int
  /// The pin of its key.
  public var pin: PublicKeyPin
  /// Whether it is a backup pin; if so, renew the others.
  public var isBackup: Bool
}

/// A report about a server whose pins did not match.
public struct TrustReport: Sendable, Hashable {
  /// The certificates and the host.
  public var trust: ServerTrust
  /// The mismatch.
  public var error: ServerTrustError
  /// Whether the connection was refused because of it.
  public var wasEnforced: Bool
}
