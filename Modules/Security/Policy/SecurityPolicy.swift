public import CurlewCore
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
      throw SecurityError(.plainHTTP, "Pins are checked over https only; use an https base URL.")
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
