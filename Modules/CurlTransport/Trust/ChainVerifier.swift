import COpenSSL
import CurlewCore
import FoundationEssentials

/// OpenSSL's verifier, given anchors.
struct ChainVerifier {
  let anchors: OpaquePointer

  /// Returns when the chain ends in an anchor, is valid at the date and is for the host.
  func verify(_ trust: ServerTrust) throws(ServerTrustError) {
    let certificates = trust.certificates.map(Self.parse)
    defer { for certificate in certificates { X509_free(certificate) } }
    guard let leaf = certificates.first ?? nil, !certificates.contains(nil) else {
      throw ServerTrustError(.malformed, message: "A certificate the server showed cannot be read.")
    }
    guard let stack = curlew_x509_stack(), let context = X509_STORE_CTX_new() else { throw Self.noMemory }
    defer {
      curlew_x509_stack_free(stack)
      X509_STORE_CTX_free(context)
    }
    for certificate in certificates { _ = curlew_x509_push(stack, certificate) }
    guard X509_STORE_CTX_init(context, anchors, leaf, stack) == 1, let parameters = X509_STORE_CTX_get0_param(context)
    else { throw Self.noMemory }
    X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_SSL_SERVER)
    X509_VERIFY_PARAM_set_auth_level(parameters, 2)
    X509_VERIFY_PARAM_set_time(parameters, time_t(trust.date.timeIntervalSince1970.rounded(.down)))
    X509_VERIFY_PARAM_set_hostflags(
      parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS) | UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
    let named =
      X509_VERIFY_PARAM_set1_ip_asc(parameters, trust.host) == 1
      || X509_VERIFY_PARAM_set1_host(parameters, trust.host, 0) == 1
    guard named else { throw ServerTrustError(.hostMismatch, message: "The host is not a name to be verified.") }
    ERR_clear_error()
    guard X509_verify_cert(context) != 1 else { return }
    throw Self.refusal(X509_STORE_CTX_get_error(context), at: X509_STORE_CTX_get_error_depth(context), trust.host)
  }

  private static func parse(_ der: Data) -> OpaquePointer? {
    der.withUnsafeBytes { buffer in
      var cursor = buffer.bindMemory(to: UInt8.self).baseAddress
      guard let certificate = d2i_X509(nil, &cursor, buffer.count) else { return nil }
      return certificate
    }
  }

  private static let noMemory = ServerTrustError(.malformed, message: "OpenSSL has no memory to verify with.")

  private static func refusal(_ code: Int32, at depth: Int32, _ host: String) -> ServerTrustError {
    let reason: ServerTrustError.Reason =
      switch code {
      case X509_V_ERR_CERT_HAS_EXPIRED: .expired
      case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
      case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .hostMismatch
      case X509_V_ERR_CERT_REVOKED: .revoked
      case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK: .weak
      case X509_V_ERR_INVALID_PURPOSE, X509_V_ERR_INVALID_CA, X509_V_ERR_PATH_LENGTH_EXCEEDED,
        X509_V_ERR_PERMITTED_VIOLATION, X509_V_ERR_EXCLUDED_VIOLATION, X509_V_ERR_KEYUSAGE_NO_CERTSIGN:
        .constraint
      default: .untrusted
      }
    let words = X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "unknown"
    return ServerTrustError(
      reason, certificate: Int(depth), message: "The certificate chain of \(host) is not trusted: \(words).")
  }
}
