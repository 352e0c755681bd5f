public import CurlewCore
public import FoundationEssentials

extension SecurityPolicy {
  /// What a server is pinned to.
  public enum PinningMode: String, Sendable, Hashable, CaseIterable {
    /// Nothing: the chain alone decides.
    case none
    /// A public key, in whichever certificate.
    case publicKey
    /// A certificate, byte for byte.
    case certificate
  }

  /// Where a pin may match.
  public enum PinScope: String, Sendable, Hashable, CaseIterable {
    /// The server's own certificate alone.
    case leaf
    /// Any certificate of the verified chain, its anchor included. A pinned authority vouches for all it issues.
    case chain
  }

  /// Who may vouch for a server.
  public enum Anchors: Sendable, Hashable {
    /// The system's anchors.
    case system
    /// The system's, and these.
    case systemAnd([Certificate])
    /// These alone; none of them means nobody.
    case only([Certificate])
  }

  /// What a policy checks. The default trusts what the system does, for the host that was asked.
  public struct Settings: Sendable, Hashable {
    /// What servers are pinned to. Pins without a mode are refused when the policy is made.
    public var pinningMode = PinningMode.none
    /// Whether a chain that leads to no anchor will do.
    ///
    /// With `.none` everything passes, which must be asked for by switching `validatesDomainName` off as well. With
    /// `.certificate` the pinned certificates become the only anchors, and chain, dates and host are still checked. With
    /// `.publicKey` nothing is checked but the key of the leaf and, with `validatesDomainName`, its names: dates are not;
    /// `pinScope` must be `.leaf`, since nothing says that the rest of the chain belongs to it.
    public var allowInvalidCertificates = false
    /// Whether the leaf must be for the host (RFC 9525).
    public var validatesDomainName = true
    /// Pinned certificates: themselves in mode `.certificate`, their keys in mode `.publicKey`.
    public var pinnedCertificates: [Certificate] = []
    /// Pinned keys, for mode `.publicKey`.
    public var publicKeyPins: Set<PublicKeyPin> = []
    /// Keys kept in reserve: they match as well, and the verdict says that it was one of them.
    public var backupPublicKeyPins: Set<PublicKeyPin> = []
    /// Where a pin may match.
    public var pinScope = PinScope.chain
    /// From when on pins are no longer looked at, so that an app nobody updates goes on; the chain still is. Nil is never.
    public var pinExpiry: Date?
    /// Whether a server whose pins do not match is reported only. The chain is still enforced.
    public var reportsPinsOnly = false
    /// Who may vouch for servers.
    public var anchors = Anchors.system
    /// Lists of revoked certificates. Each certificate whose issuer has a list here is looked up in it; one out of date
    /// refuses.
    public var revocationLists: [RevocationList] = []
    /// Whether the server must staple an OCSP response (RFC 6960, RFC 6066 §8) that says its certificate is not revoked.
    ///
    /// The response is taken from the certificate's issuer, or from whom that issued a certificate for signing such
    /// responses; it must be about this certificate, be within its dates (five minutes of difference between clocks are
    /// allowed; without an end it counts for a day) and be signed with SHA-256 or better. Authorities between are not
    /// asked about.
    public var requiresStapledOCSP = false
    /// The least TLS version; nil is TLS 1.2.
    public var leastTLSVersion: HandshakeRequirements.TLSVersion?
    /// Whether certificates must follow RFC 5280 in what many in use do not, such as key identifiers.
    public var isStrict = false

    /// The default settings.
    public init() {}

    /// Every key that is pinned.
    var allKeyPins: Set<PublicKeyPin> {
      publicKeyPins.union(backupPublicKeyPins).union(pinnedCertificates.map(\.publicKeyPin))
    }
  }
}
