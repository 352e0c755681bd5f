public import CurlewCore
import CurlewDigests
public import FoundationEssentials

/// Decides by chain, host and pins which servers are trusted.
///
/// Set it as `ExchangeSettings.serverTrust`. It reads anchors and pins once, when it is created. Requests share connections
/// only when their policies have equal settings.
///
/// ```swift
/// var settings = SecurityPolicy.Settings()
/// settings.pinningMode = .publicKey
/// settings.publicKeyPins = [try PublicKeyPin("sha256/…")]
/// settings.backupPublicKeyPins = [try PublicKeyPin("sha256/…")]
/// let policy = try SecurityPolicy(settings, baseURL: baseURL)
/// ```
///
/// A pinning mode without a pin refuses every server. A policy with pins refuses plain `http`.
public struct SecurityPolicy: ServerTrustEvaluating {
  /// The settings.
  public let settings: Settings
  /// A SHA-256 of every setting.
  public let connectionKey: ConnectionKey
  let report: (@Sendable (TrustReport) -> Void)?
  /// The anchors; nil when the system's are needed and it has none.
  let anchors: AnchorStore?
  /// Only the pinned certificates, as anchors.
  let pinnedAnchors: AnchorStore
  let revocationLists: [ParsedRevocationList]

  /// Returns the default policy: the system's anchors, and the host of the URL.
  public static func system() throws(SecurityError) -> SecurityPolicy { try SecurityPolicy(Settings()) }

  /// Creates a policy and reads its anchors.
  ///
  /// - Parameters:
  ///   - settings: The settings.
  ///   - baseURL: The URL that requests will go to; nil when it is not known.
  ///   - report: Called for each server whose pins do not match, on the transport's thread; it must not wait. It does not
  ///     affect `connectionKey`.
  /// - Throws: `SecurityError` of kind `unsafeCombination` when the settings check less than they seem to (see `Settings`),
  ///   of kind `plainHTTP` when there is a pinning mode and the base URL is not `https`, of kind `unavailable` when OpenSSL
  ///   rejects an anchor.
  public init(
    _ settings: Settings, baseURL: URL? = nil, report: (@Sendable (TrustReport) -> Void)? = nil
  ) throws(SecurityError) {
    try settings.check()
    if settings.pinningMode != .none, let baseURL, baseURL.scheme?.lowercased() != "https" {
      throw SecurityError(.plainHTTP, "Pins are checked over https only.")
    }
    self.settings = settings
    self.report = report
    connectionKey = try settings.connectionKey()
    anchors =
      switch settings.anchors {
      case .system: AnchorStore.system
      case .systemAnd(let certificates): try AnchorStore(certificates, beside: AnchorStore.system)
      case .only(let certificates): try AnchorStore(certificates)
      }
    pinnedAnchors = try AnchorStore(settings.pinnedCertificates)
    revocationLists = settings.revocationLists.compactMap { ParsedRevocationList($0.der) }
  }

  /// The lowest TLS version, stapling, and whether plain `http` is refused.
  ///
  /// A policy with pins refuses plain `http`.
  public var requirements: HandshakeRequirements {
    HandshakeRequirements(
      leastVersion: settings.leastTLSVersion, requiresStapledOCSP: settings.requiresStapledOCSP,
      refusesPlainHTTP: settings.pinningMode != .none)
  }

  /// Returns when the server is trusted.
  ///
  /// - Throws: The errors of `verdict(on:)`.
  public func evaluate(_ trust: ServerTrust) throws(ServerTrustError) { _ = try verdict(on: trust) }
}

extension SecurityPolicy {
  /// The most certificates that a server may show.
  private static let mostCertificates = 100

  /// Returns the reasons to trust a server.
  ///
  /// - Throws: `ServerTrustError` with the rule that failed and the certificate at fault.
  public func verdict(on trust: ServerTrust) throws(ServerTrustError) -> TrustVerdict {
    let presented = try Self.parsed(trust.certificates)
    defer { extendLifetime(presented) }
    guard let leaf = presented.first else { throw ChainVerification.noCertificate }
    let host = settings.validatesDomainName ? trust.host : nil
    let chain: [OpaqueCertificate]
    switch (settings.pinningMode, settings.allowInvalidCertificates) {
    case (.none, true):
      return TrustVerdict(verifiedChain: [], pin: nil)
    case (.publicKey, true):
      if let host { try HostMatching.check(leaf, host) }
      chain = OpaqueCertificate(leaf.pointer).map { [$0] } ?? []
    case (.certificate, true):
      guard !settings.pinnedCertificates.isEmpty else { return try refuse(trust, leaf) }
      chain = try verified(presented, host: host, at: trust.date, by: pinnedAnchors)
    case (_, false):
      guard let anchors else {
        throw ServerTrustError(
          .untrusted, message: "This system has no trust anchors.", advice: "Install the package ca-certificates.")
      }
      chain = try verified(presented, host: host, at: trust.date, by: anchors)
    }
    if settings.requiresStapledOCSP { try StapledResponse.require(trust.ocspResponse, for: chain, at: trust.date) }
    let verifiedChain = settings.pinningMode == .publicKey && settings.allowInvalidCertificates ? [] : chain.map(\.der)
    if settings.pinningMode == .none { return TrustVerdict(verifiedChain: verifiedChain, pin: nil) }
    if let expiry = settings.pinExpiry, trust.date >= expiry {
      return TrustVerdict(verifiedChain: verifiedChain, pin: nil)
    }
    if let pin = match(in: chain) { return TrustVerdict(verifiedChain: verifiedChain, pin: pin) }
    guard settings.reportsPinsOnly else { return try refuse(trust, leaf) }
    report?(TrustReport(trust: trust, error: mismatch(leaf), wasEnforced: false))
    return TrustVerdict(verifiedChain: verifiedChain, pin: nil)
  }

  private func verified(
    _ presented: [ParsedCertificate], host: String?, at date: Date, by anchors: AnchorStore
  ) throws(ServerTrustError) -> [OpaqueCertificate] {
    do throws(ServerTrustError) {
      return try ChainVerification(anchors: anchors, revocationLists: revocationLists, isStrict: settings.isStrict)
        .verify(presented, host: host, at: date)
    } catch {
      guard error.reason == .untrusted, let pin = presented.first?.publicKeyPin, settings.allKeyPins.contains(pin)
      else {
        throw error
      }
      var explained = error
      explained.message +=
        " Its key is pinned, but a pin makes no trust; the policy's anchors do."
      throw explained
    }
  }

  private func match(in chain: [OpaqueCertificate]) -> PinMatch? {
    let candidates = settings.pinScope == .leaf ? chain.prefix(1) : chain.prefix(chain.count)
    for (index, certificate) in candidates.enumerated() {
      switch settings.pinningMode {
      case .none: return nil
      case .certificate:
        if settings.pinnedCertificates.contains(where: { $0.der == certificate.der }) {
          return PinMatch(certificate: index, pin: certificate.pin, isBackup: false)
        }
      case .publicKey:
        let isPinned =
          settings.publicKeyPins.contains(certificate.pin)
          || settings.pinnedCertificates.contains { $0.publicKeyPin == certificate.pin }
        if isPinned || settings.backupPublicKeyPins.contains(certificate.pin) {
          return PinMatch(certificate: index, pin: certificate.pin, isBackup: !isPinned)
        }
      }
    }
    return nil
  }

  private func refuse(_ trust: ServerTrust, _ leaf: ParsedCertificate) throws(ServerTrustError) -> TrustVerdict {
    let error = mismatch(leaf)
    report?(TrustReport(trust: trust, error: error, wasEnforced: true))
    throw error
  }

  private func mismatch(_ leaf: ParsedCertificate) -> ServerTrustError {
    let hasPins = !settings.allKeyPins.isEmpty
    let shown = leaf.publicKeyPin.map { ", and the server's key has the pin \($0)" } ?? ""
    return ServerTrustError(
      .pinMismatch, certificate: settings.pinScope == .leaf ? 0 : nil,
      message: hasPins
        ? "The server has none of the pinned keys or certificates\(shown)."
        : "The policy has a pinning mode but no pin\(shown).",
      advice: hasPins ? nil : "Set `publicKeyPins`, or `pinnedCertificates` for the mode `.certificate`.")
  }

  private static func parsed(_ certificates: [Data]) throws(ServerTrustError) -> [ParsedCertificate] {
    guard certificates.count <= mostCertificates else {
      throw ServerTrustError(.malformed, message: "The server showed more than \(mostCertificates) certificates.")
    }
    var parsed: [ParsedCertificate] = []
    for (index, der) in certificates.enumerated() {
      guard let certificate = ShownCertificates.parsed(der) else {
        throw ServerTrustError(
          .malformed, certificate: index, message: "Certificate \(index) of those that the server showed is malformed.")
      }
      parsed.append(certificate)
    }
    return parsed
  }
}

extension SecurityPolicy.Settings {
  /// Refuses combinations of settings that check less than they seem to.
  ///
  /// - Throws: `SecurityError` of kind `unsafeCombination`.
  func check() throws(SecurityError) {
    let hasPins = !pinnedCertificates.isEmpty || !publicKeyPins.isEmpty || !backupPublicKeyPins.isEmpty
    let combinations: [(Bool, String)] = [
      (
        pinningMode == .none && allowInvalidCertificates && validatesDomainName,
        "Anyone can issue an invalid certificate for a name, so `allowInvalidCertificates` needs a `pinningMode`; only a test that"
          + " trusts every server sets `validatesDomainName` to false instead."
      ),
      (
        pinningMode == .none && hasPins,
        "Pins are set but not checked: `pinningMode` has to be `.publicKey` or `.certificate`."
      ),
      (
        pinningMode == .none && (reportsPinsOnly || pinExpiry != nil),
        "Reporting and expiry of pins need a pinning mode."
      ),
      (
        pinningMode == .publicKey && allowInvalidCertificates && pinScope != .leaf,
        "With invalid certificates only the leaf's public key can be pinned; set the pin scope to leaf."
      ),
      (
        pinningMode == .certificate && !(publicKeyPins.isEmpty && backupPublicKeyPins.isEmpty),
        "Public key pins are set but not checked in mode certificate; use mode publicKey."
      ),
      (
        allowInvalidCertificates && (reportsPinsOnly || pinExpiry != nil),
        "With invalid certificates allowed, pins are the only check; they can neither expire nor be reported only."
      ),
      (
        allowInvalidCertificates && pinningMode != .certificate && !revocationLists.isEmpty,
        "Revocation lists are set but not checked without a chain; do not allow invalid certificates."
      ),
      (
        allowInvalidCertificates && pinningMode != .certificate && requiresStapledOCSP,
        "A stapled response is required but not checked without a chain; do not allow invalid certificates."
      ),
    ]
    for (isUnsafe, message) in combinations where isUnsafe { throw SecurityError(.unsafeCombination, message) }
  }

  /// Returns a digest of every setting.
  ///
  /// Neither the order nor the repetition of pins, anchors and lists makes a difference.
  func connectionKey() throws(SecurityError) -> ConnectionKey {
    var bytes = Data()
    func add(_ part: Data) {
      withUnsafeBytes(of: UInt64(part.count).bigEndian) { bytes.append(contentsOf: $0) }
      bytes.append(part)
    }
    func add(_ text: String) { add(Data(text.utf8)) }
    func add(_ parts: [Data]) {
      let parts = Set(parts).sorted { $0.lexicographicallyPrecedes($1) }
      add("\(parts.count)")
      for part in parts { add(part) }
    }
    add("SecurityPolicy 2")
    add(pinningMode.rawValue)
    add("\(allowInvalidCertificates) \(validatesDomainName) \(reportsPinsOnly) \(isStrict) \(requiresStapledOCSP)")
    add(pinScope.rawValue)
    add(pinExpiry.map { "\($0.timeIntervalSinceReferenceDate.bitPattern)" } ?? "never")
    add(leastTLSVersion.map { "\($0.rawValue)" } ?? "default")
    add(pinnedCertificates.map(\.der))
    add(publicKeyPins.map(\.hash))
    add(backupPublicKeyPins.map(\.hash))
    add(revocationLists.map(\.der))
    switch anchors {
    case .system: add("system")
    case .systemAnd(let certificates):
      add("system and")
      add(certificates.map(\.der))
    case .only(let certificates):
      add("only")
      add(certificates.map(\.der))
    }
    guard let digest = try? Digest.of(bytes, .sha256), digest.count == 32 else {
      throw SecurityError(.unavailable, "This system's OpenSSL offers no SHA-256.")
    }
    return ConnectionKey("policy-" + digest.hexadecimal)
  }
}

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
