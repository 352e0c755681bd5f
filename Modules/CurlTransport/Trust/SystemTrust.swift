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

  static let shared: SystemAnchors? = curlew_system_anchors().map { SystemAnchors(store: $0) }
}
