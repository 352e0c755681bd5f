import COpenSSL
import CurlewCore

extension ServerTrustError {
  /// Creates an error from the code of OpenSSL's verifier.
  init(openSSL code: Int32, at depth: Int32) {
    let words =
      code == X509_V_ERR_UNABLE_TO_GET_CRL
      ? "the revocation list of its issuer covers only a part, has no end and is older than a day, or belongs to another key"
      : X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "unknown"
    let place = depth == 0 ? "The server's certificate" : "Certificate \(depth) of the chain"
    self.init(
      Reason(rawValue: String(cString: curlew_refusal_reason(code))), certificate: Int(max(0, depth)),
      message: "\(place) is refused: \(words).")
  }
}
