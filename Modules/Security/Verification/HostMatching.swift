import COpenSSL
import CurlewCore

/// Which hosts a leaf is for (RFC 9525): names and addresses of the subjectAltName alone, `*` as the whole first label.
enum HostMatching {
  /// Lets the verifier check the host.
  static func require(_ host: String, of parameters: OpaquePointer) throws(ServerTrustError) {
    guard curlew_require_host(parameters, host, host.utf8.count) == 1 else {
      throw ServerTrustError(.hostMismatch, certificate: 0, message: "The host is no name that can be verified.")
    }
  }

  /// Checks the host of a leaf that no chain is built for.
  static func check(_ leaf: ParsedCertificate, _ host: String) throws(ServerTrustError) {
    guard curlew_matches_host(leaf.pointer, host, host.utf8.count) == 1 else {
      throw ServerTrustError(.hostMismatch, certificate: 0, message: "The certificate is not for \(host).")
    }
  }
}
