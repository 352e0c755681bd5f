import COpenSSL
import CurlewCore
import FoundationEssentials
import Glibc

/// OpenSSL's verifier with the rules of a policy.
struct ChainVerification {
  let anchors: AnchorStore
  /// Each certificate whose issuer has a list here is looked up.
  let revocationLists: [ParsedRevocationList]
  /// Whether rules of RFC 5280 are enforced that many certificates in use break.
  let isStrict: Bool

  /// The certificates from the leaf to the anchor, once the chain is found good for TLS servers at the date.
  ///
  /// - Parameter host: The name or address the leaf must be for; nil for any.
  func verify(
    _ presented: [ParsedCertificate], host: String?, at date: Date
  ) throws(ServerTrustError) -> [OpaqueCertificate] {
    guard let leaf = presented.first else { throw Self.noCertificate }
    guard let untrusted = curlew_x509_stack(), let context = X509_STORE_CTX_new() else { throw Self.noMemory }
    defer {
      X509_STORE_CTX_free(context)
      curlew_x509_stack_free(untrusted)
    }
    for certificate in presented { _ = curlew_x509_push(untrusted, certificate.pointer) }
    guard X509_STORE_CTX_init(context, anchors.pointer, leaf.pointer, untrusted) == 1,
      let parameters = X509_STORE_CTX_get0_param(context)
    else { throw Self.noMemory }
    let time = try Self.time(date)
    var flags = isStrict ? UInt(X509_V_FLAG_X509_STRICT) : 0
    let lists = curlew_crl_stack()
    defer { curlew_crl_stack_free(lists) }
    if !revocationLists.isEmpty {
      guard let lists else { throw Self.noMemory }
      for list in revocationLists { _ = curlew_crl_push(lists, list.pointer) }
      X509_STORE_CTX_set0_crls(context, lists)
      flags |= UInt(X509_V_FLAG_CRL_CHECK) | UInt(X509_V_FLAG_CRL_CHECK_ALL)
      X509_STORE_CTX_set_verify_cb(context) { isGood, context in
        guard isGood == 0, let context, X509_STORE_CTX_get_error(context) == X509_V_ERR_UNABLE_TO_GET_CRL else {
          return isGood
        }
        // No list was given for this issuer.
        X509_STORE_CTX_set_error(context, X509_V_OK)
        return 1
      }
    }
    curlew_server_rules(parameters, time, flags)
    if let host { try HostMatching.require(host, of: parameters) }
    ERR_clear_error()
    guard X509_verify_cert(context) == 1 else {
      ERR_clear_error()
      throw ServerTrustError(
        openSSL: X509_STORE_CTX_get_error(context), at: X509_STORE_CTX_get_error_depth(context))
    }
    guard let chain = X509_STORE_CTX_get0_chain(context) else { throw Self.noMemory }
    return (0..<max(0, curlew_x509_count(chain))).compactMap { index in
      curlew_x509_at(chain, index).flatMap { OpaqueCertificate($0) }
    }
  }

  private static func time(_ date: Date) throws(ServerTrustError) -> time_t {
    let seconds = date.timeIntervalSince1970.rounded(.down)
    guard let time = time_t(exactly: seconds) else {
      throw ServerTrustError(.policy, message: "The date to verify at cannot be counted in seconds.")
    }
    return time
  }

  static let noCertificate = ServerTrustError(.malformed, message: "The server showed no certificate.")
  private static let noMemory = ServerTrustError(.malformed, message: "OpenSSL has no memory to verify with.")
}

/// A certificate of a verified chain, as bytes.
struct OpaqueCertificate {
  let der: Data
  let pin: PublicKeyPin

  init?(_ certificate: OpaquePointer) {
    var pointer: UnsafeMutablePointer<UInt8>?
    let count = i2d_X509(certificate, &pointer)
    guard count > 0, let pointer, let pin = PublicKeyPin(of: certificate) else { return nil }
    defer { CRYPTO_free(pointer, "", 0) }
    der = Data(bytes: pointer, count: Int(count))
    self.pin = pin
  }
}
