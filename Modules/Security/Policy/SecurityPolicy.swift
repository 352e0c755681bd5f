public import CurlewCore
public import FoundationEssentials

/// Decides which servers are trusted: chain, host, pins, as its settings say.
///
/// A value; its anchors and pins are read once, when it is made. Give it to `ExchangeSettings.serverTrust`. Two policies
/// with the same settings share connections, others never do.
/// ```swift
/// var settings = SecurityPolicy.Settings()
/// settings.pinningMode = .publicKey
/// settings.publicKeyPins = [try PublicKeyPin("sha256/…")]
/// settings.backupPublicKeyPins = [try PublicKeyPin("sha256/…")]
/// let policy = try SecurityPolicy(settings, baseURL: baseURL)
/// ```
/// A pinning mode without a pin refuses every server. Where pins are, plain `http` is refused.
public struct SecurityPolicy: ServerTrustEvaluating {
  /// What it was made of.
  public let settings: Settings
  /// A SHA-256 of every setting.
  public let connectionKey: ConnectionKey
  let report: (@Sendable (TrustReport) -> Void)?
  /// Nil when the system's anchors are needed and there are none.
  let anchors: AnchorStore?
  /// The pinned certificates alone.
  let pinnedAnchors: AnchorStore
  let revocationLists: [ParsedRevocationList]

  /// Trusts what the system's anchors vouch for, for the host that was asked.
  public static func system() throws(SecurityError) -> SecurityPolicy { try SecurityPolicy(Settings()) }

  /// Makes a policy and reads its anchors.
  ///
  /// - Parameters:
  ///   - settings: What it checks.
  ///   - baseURL: Where requests will go, when that is known.
  ///   - report: Is told of each server whose pins did not match, on the transport's thread; it must not wait. It is no
  ///     part of `connectionKey`.
  /// - Throws: `SecurityError` of kind `unsafeCombination` when settings together would check less than they seem to
  ///   (see `Settings`), of kind `plainHTTP` when pins are asked for and the base URL is not `https`, of kind
  ///   `unavailable` when OpenSSL takes an anchor not.
  public init(
    _ settings: Settings, baseURL: URL? = nil, report: (@Sendable (TrustReport) -> Void)? = nil
  ) throws(SecurityError) {
    try settings.check()
    if settings.pinningMode != .none, let baseURL, baseURL.scheme?.lowercased() != "https" {
      throw SecurityError(.plainHTTP, "Pins are checked over https only; give the base URL that scheme.")
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

  /// The least TLS version, whether a response must be stapled, and that plain `http` is refused when pins are to be
  /// checked.
  public var requirements: HandshakeRequirements {
    HandshakeRequirements(
      leastVersion: settings.leastTLSVersion, requiresStapledOCSP: settings.requiresStapledOCSP,
      refusesPlainHTTP: settings.pinningMode != .none)
  }

  /// Returns when the server is trusted.
  ///
  /// - Throws: As `verdict(on:)`.
  public func evaluate(_ trust: ServerTrust) throws(ServerTrustError) { _ = try verdict(on: trust) }
}
