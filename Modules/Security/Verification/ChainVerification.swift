import COpenSSL
import CurlewCore
import FoundationEssentials
import Glibc

/// OpenSSL's verifier with the rules of a policy.
struct ChainVerification {
  let anchors: AnchorStore
  /// The revocation lists; each certificate is looked up in its issuer's list.
  let revocationLists: [ParsedRevocationList]
  /// Whether to enforce rules of RFC 5280 that many certificates in use break.
  let isStrict: Bool

  /// Verifies a chain for TLS servers and returns it, from the leaf to the anchor.
  ///
  /// - Parameter host: The name or address that the leaf must be for; nil accepts any.
  func verify(
    _ presented: [ParsedCertificate], host: String?, at date: Date
  ) throws(ServerTrustError) -> [OpaqueCertificate] {
    guard let leaf = presented.first else { throw Self.noCertificate }
    guard let untrusted = curlew_x509_stack(), let context = X509_STORE_CTX_new() else { throw Self.noMemory }
    defer {
      X509_STORE_CTX_free(context)
      curlew_x509_stack_free(untrusted)
      // OpenSSL's objects point to those of these.
      extendLifetime(presented)
      extendLifetime(self)
    }
    for certificate in presented { _ = curlew_x509_push(untrusted, certificate.pointer) }
    guard X509_STORE_CTX_init(context, anchors.pointer, leaf.pointer, untrusted) == 1,
      let parameters = X509_STORE_CTX_get0_param(context)
    else { throw Self.noMemory }
    let time = try Self.time(date)
    var flags = isStrict ? UInt(X509_V_FLAG_X509_STRICT) : 0
    let (full, all) = (curlew_crl_stack(), curlew_crl_stack())
    defer {
      curlew_crl_stack_free(full)
      curlew_crl_stack_free(all)
    }
    if !revocationLists.isEmpty {
      guard let full, let all else { throw Self.noMemory }
      for list in revocationLists {
        _ = curlew_crl_push(all, list.pointer)
        // OpenSSL takes a list without an end for current for ever.
        let isUsable = !list.isPartial && (list.hasEnd || curlew_crl_is_current(list.pointer, time) != 0)
        if isUsable { _ = curlew_crl_push(full, list.pointer) }
      }
      curlew_use_lists(context, full, all)
      flags |= UInt(X509_V_FLAG_CRL_CHECK) | UInt(X509_V_FLAG_CRL_CHECK_ALL)
    }
    curlew_server_rules(parameters, time, flags)
    if let host { try HostMatching.require(host, of: parameters) }
    ERR_clear_error()
    guard X509_verify_cert(context) == 1 else {
      ERR_clear_error()
      throw ServerTrustError(
        openSSL: X509_STORE_CTX_get_error(context), at: X509_STORE_CTX_get_error_depth(context))
    }
    guard let verified = X509_STORE_CTX_get0_chain(context) else { throw Self.noMemory }
    let chain = (0..<max(0, curlew_x509_count(verified))).compactMap { curlew_x509_at(verified, $0) }
    try refuseNamedInPartialLists(chain)
    return chain.compactMap { OpaqueCertificate($0) }
  }

  /// Refuses certificates that a partial list names.
  ///
  /// OpenSSL itself looks only into full lists.
  private func refuseNamedInPartialLists(_ chain: [OpaquePointer]) throws(ServerTrustError) {
    for list in revocationLists where list.isPartial {
      for (depth, certificate) in chain.enumerated() where list.names(certificate) {
        let issuer = depth + 1 < chain.count ? chain[depth + 1] : certificate
        if list.isSigned(by: issuer) {
          throw ServerTrustError(openSSL: X509_V_ERR_CERT_REVOKED, at: Int32(depth))
        }
        throw ServerTrustError(
          .revocationUnknown, certificate: depth,
          message: "A revocation list names certificate \(depth) of the chain, and its issuer did not sign that list.")
      }
    }
  }

  private static func time(_ date: Date) throws(ServerTrustError) -> time_t {
    let seconds = date.timeIntervalSince1970.rounded(.down)
    guard let time = time_t(exactly: seconds) else {
      throw ServerTrustError(.policy, message: "The date of the verification is out of range.")
    }
    return time
  }

  static let noCertificate = ServerTrustError(.malformed, message: "The server showed no certificate.")
  private static let noMemory = ServerTrustError(.malformed, message: "OpenSSL has no memory for the verification.")
}

/// A certificate of a verified chain as bytes.
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
