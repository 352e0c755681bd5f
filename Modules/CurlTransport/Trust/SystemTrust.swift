import COpenSSL
public import CurlewCore
import FoundationEssentials

/// Trusts what the system's anchors vouch for, for the host that was asked: the default.
///
/// Chain building, validity, purpose and name (RFC 9525) are OpenSSL's. The anchors are parsed once in a process.
public struct SystemTrust: ServerTrustEvaluating {
  /// Makes an evaluator; all are alike.
  public init() {}

  /// The same for all: they share connections.
  public var connectionKey: ConnectionKey { ConnectionKey("system") }

  /// Verifies chain, date and host.
  ///
  /// - Throws: `ServerTrustError` with the rule that failed and the certificate at fault.
  public func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {
    guard let anchors = SystemAnchors.shared else {
      throw ServerTrustError(
        .untrusted, message: "No trust anchors were found on this system; install ca-certificates.")
    }
    try ChainVerifier(anchors: anchors.store).verify(trust)
  }
}

/// The system's anchors, parsed once.
// Safe because OpenSSL locks its store, and nobody adds to it.
private struct SystemAnchors: @unchecked Sendable {
  let store: OpaquePointer

  /// Where distributions keep their bundle.
  private static let bundles = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
  ]

  static let shared: SystemAnchors? = {
    guard let store = X509_STORE_new() else { return nil }
    for bundle in bundles where X509_STORE_load_file(store, bundle) == 1 { return SystemAnchors(store: store) }
    ERR_clear_error()
    X509_STORE_free(store)
    return nil
  }()
}
