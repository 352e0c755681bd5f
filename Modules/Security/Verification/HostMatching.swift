import COpenSSL
import CurlewCore

/// Checks whether a certificate is for a host (RFC 9525).
///
/// Only names and addresses of the subjectAltName count, and `*` only as a whole first label.
enum HostMatching {
  /// Makes the verifier check the host.
  static func require(_ host: String, of parameters: OpaquePointer) throws(ServerTrustError) {
    guard curlew_require_host(parameters, host, host.utf8.count) == 1 else {
      throw ServerTrustError(
        .hostMismatch, certificate: 0, message: "The host cannot be verified: it is neither a name nor an address.")
    }
  }

  /// Checks the host of a leaf whose chain is not verified.
  static func check(_ leaf: ParsedCertificate, _ host: String) throws(ServerTrustError) {
    defer { extendLifetime(leaf) }
    guard curlew_matches_host(leaf.pointer, host, host.utf8.count) == 1 else {
      throw ServerTrustError(.hostMismatch, certificate: 0, message: "The certificate is not for \(host).")
    }
  }
}
