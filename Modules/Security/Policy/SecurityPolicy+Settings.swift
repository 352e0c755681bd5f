public import CurlewCore
public import FoundationEssentials

extension SecurityPolicy {
  /// The kinds of pins.
  public enum PinningMode: String, Sendable, Hashable, CaseIterable {
    /// No pins: the chain alone decides.
    case none
    /// Public keys, whichever certificate contains them.
    case publicKey
    /// Whole certificates, compared byte by byte.
    case certificate
  }

  /// The certificates that a pin may match.
  public enum PinScope: String, Sendable, Hashable, CaseIterable {
    /// Only the server's own certificate.
    case leaf
    /// Any certificate of the verified chain, including its anchor.
    ///
    /// The pin of an authority therefore covers every certificate that it issues. Where authorities have certified each other, a server's
    /// certificate has more than one chain; the one that is verified, and so which pins match, also depends on the order in which the server
    /// sends its certificates and on the anchors. Pin the keys of all authorities that any of the chains can contain.
    case chain
  }

  /// The authorities that a chain may end in.
  public enum Anchors: Sendable, Hashable {
    /// The anchors of the system.
    case system
    /// The anchors of the system and these certificates.
    case systemAnd([Certificate])
    /// Only these certificates; an empty list trusts no server.
    case only([Certificate])
  }

  /// The settings of a policy.
  ///
  /// By default a policy trusts the system's anchors and checks the host of the URL.
  public struct Settings: Sendable, Hashable {
    /// The kind of pins that are checked.
    ///
    /// Creating a policy with pins but without a mode fails.
    public var pinningMode = PinningMode.none
    /// Whether a chain that leads to no anchor is accepted.
    ///
    /// With `.none` every certificate is accepted; `validatesDomainName` must be false too. With `.certificate` the pinned
    /// certificates become the only anchors, and chain, dates and host are still checked. With `.publicKey` only the key of the
    /// leaf and, with `validatesDomainName`, its names are checked, not its dates. `pinScope` must then be `.leaf`, because
    /// nothing shows that the other certificates belong to the leaf.
    public var allowInvalidCertificates = false
    /// Whether the certificate must be for the host of the URL (RFC 9525).
    public var validatesDomainName = true
    /// The pinned certificates. In mode `.publicKey` their keys are pinned.
    public var pinnedCertificates: [Certificate] = []
    /// The pinned keys, for mode `.publicKey`.
    public var publicKeyPins: Set<PublicKeyPin> = []
    /// Backup keys: they match as well, and the verdict says that a backup matched.
    public var backupPublicKeyPins: Set<PublicKeyPin> = []
    /// The certificates that a pin may match.
    public var pinScope = PinScope.chain
    /// The date after which pins are ignored; the chain is still verified.
    ///
    /// It keeps an app working that is no longer updated. Nil never expires.
    public var pinExpiry: Date?
    /// Whether a pin mismatch is only reported. The chain is still enforced.
    public var reportsPinsOnly = false
    /// The authorities that a chain may end in.
    public var anchors = Anchors.system
    /// The lists of revoked certificates.
    ///
    /// Each certificate of the chain is looked up in its issuer's list. The certificate is refused when that list is out of
    /// date or is only partial (see `RevocationList`). A certificate whose issuer has no list here is not checked for
    /// revocation.
    public var revocationLists: [RevocationList] = []
    /// Whether the server must staple proof that its certificate is not revoked.
    ///
    /// The proof is an OCSP response (RFC 6960, RFC 6066 §8) about this certificate. It must be signed with SHA-256 or better,
    /// by the issuer of the certificate or by a responder that the issuer certified for that, and be within its dates. Clocks
    /// may differ by five minutes, and a response without an end counts for a day. Intermediate authorities are not checked.
    public var requiresStapledOCSP = false
    /// The lowest TLS version; nil means TLS 1.2.
    public var leastTLSVersion: HandshakeRequirements.TLSVersion?
    /// Whether certificates must follow RFC 5280 strictly.
    ///
    /// Many certificates in use break some of its rules, for example those about key identifiers.
    public var isStrict = false

    /// Creates the default settings.
    public init() {}

    /// All pinned keys, including backups and those of certificates.
    var allKeyPins: Set<PublicKeyPin> {
      publicKeyPins.union(backupPublicKeyPins).union(pinnedCertificates.map(\.publicKeyPin))
    }
  }
}
