import COpenSSL
import CurlewCore

extension ServerTrustError {
  /// What OpenSSL's verifier found.
  init(openSSL code: Int32, at depth: Int32) {
    let words = X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "unknown"
    let place = depth == 0 ? "The server's certificate" : "Certificate \(depth) of the chain"
    self.init(
      Reason(rawValue: String(cString: curlew_refusal_reason(code))), certificate: Int(max(0, depth)),
      message: "\(place) is refused: \(words).")
  }
}
