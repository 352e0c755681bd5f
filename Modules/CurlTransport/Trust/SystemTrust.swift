import COpenSSL
public import CurlewCore
import FoundationEssentials

/// Trusts servers by the system's anchors and the host; the default.
///
/// OpenSSL verifies the chain, its validity, its purpose and the name (RFC 9525). The anchors are parsed once in a process.
public struct SystemTrust: ServerTrustEvaluating {
  /// Creates an evaluator; all of them are equal.
  public init() {}

  /// A constant, so all of them share connections.
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
// Safe because OpenSSL locks its store, and nothing is added to it.
private struct SystemAnchors: @unchecked Sendable {
  let store: OpaquePointer

  static let shared: SystemAnchors? = curlew_system_anchors().map { SystemAnchors(store: $0) }
}
