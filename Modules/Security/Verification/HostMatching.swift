import COpenSSL
import CurlewCore

/// Which hosts a leaf is for (RFC 9525): names and addresses of the subjectAltName alone, `*` as the whole first label.
enum HostMatching {
  private static let flags = UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS) | UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)

  /// The host as certificates write it: an IPv6 address without brackets, a name without the root's dot.
  private static func plain(_ host: String) -> String {
    if host.hasPrefix("["), host.hasSuffix("]") { return String(host.dropFirst().dropLast()) }
    return host.hasSuffix(".") ? String(host.dropLast()) : host
  }

  /// Lets the verifier check the host.
  static func require(_ host: String, of parameters: OpaquePointer) throws(ServerTrustError) {
    let host = plain(host)
    X509_VERIFY_PARAM_set_hostflags(parameters, flags)
    // An empty name would switch the check off.
    guard !host.isEmpty, !host.utf8.contains(0),
      X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1
        || X509_VERIFY_PARAM_set1_host(parameters, host, host.utf8.count) == 1
    else {
      ERR_clear_error()
      throw ServerTrustError(.hostMismatch, certificate: 0, message: "The host is no name that can be verified.")
    }
    ERR_clear_error()
  }

  /// Checks the host of a leaf that no chain is built for.
  static func check(_ leaf: ParsedCertificate, _ host: String) throws(ServerTrustError) {
    let host = plain(host)
    let isMatch =
      !host.isEmpty && !host.utf8.contains(0)
      && (X509_check_ip_asc(leaf.pointer, host, 0) == 1
        || X509_check_host(leaf.pointer, host, host.utf8.count, flags, nil) == 1)
    ERR_clear_error()
    guard isMatch else {
      throw ServerTrustError(.hostMismatch, certificate: 0, message: "The certificate is not for \(host).")
    }
  }
}
