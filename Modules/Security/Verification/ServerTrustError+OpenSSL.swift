import COpenSSL
import CurlewCore

extension ServerTrustError {
  /// What OpenSSL's verifier found.
  init(openSSL code: Int32, at depth: Int32) {
    let reason: Reason =
      switch code {
      case X509_V_ERR_CERT_HAS_EXPIRED: .expired
      case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
      case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH, X509_V_ERR_EMAIL_MISMATCH: .hostMismatch
      case X509_V_ERR_CERT_REVOKED, X509_V_ERR_CRL_HAS_EXPIRED, X509_V_ERR_CRL_NOT_YET_VALID,
        X509_V_ERR_CRL_SIGNATURE_FAILURE, X509_V_ERR_UNABLE_TO_GET_CRL_ISSUER, X509_V_ERR_KEYUSAGE_NO_CRL_SIGN,
        X509_V_ERR_UNHANDLED_CRITICAL_CRL_EXTENSION, X509_V_ERR_DIFFERENT_CRL_SCOPE,
        X509_V_ERR_CRL_PATH_VALIDATION_ERROR:
        .revoked
      case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK: .weak
      case X509_V_ERR_UNABLE_TO_DECRYPT_CERT_SIGNATURE, X509_V_ERR_UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY,
        X509_V_ERR_ERROR_IN_CERT_NOT_BEFORE_FIELD, X509_V_ERR_ERROR_IN_CERT_NOT_AFTER_FIELD,
        X509_V_ERR_UNSPECIFIED, X509_V_ERR_OUT_OF_MEM:
        .malformed
      case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
        X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
        X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_CERT_SIGNATURE_FAILURE, X509_V_ERR_CERT_UNTRUSTED,
        X509_V_ERR_CERT_REJECTED, X509_V_ERR_CERT_CHAIN_TOO_LONG, X509_V_ERR_SUBJECT_ISSUER_MISMATCH,
        X509_V_ERR_AKID_SKID_MISMATCH, X509_V_ERR_AKID_ISSUER_SERIAL_MISMATCH:
        .untrusted
      // What is left are rules about what a certificate may be used for and what it must say.
      default: .constraint
      }
    let words = X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "unknown"
    let place = depth == 0 ? "The server's certificate" : "Certificate \(depth) of the chain"
    self.init(reason, certificate: Int(max(0, depth)), message: "\(place) is refused: \(words).")
  }
}
