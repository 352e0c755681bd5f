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

/// Trust anchors in the form that OpenSSL verifies with; parsed once.
// Safe because OpenSSL locks its store, and nothing is added after the initializer.
final class AnchorStore: @unchecked Sendable {
  let pointer: OpaquePointer

  private init(adopting pointer: OpaquePointer) { self.pointer = pointer }

  /// Creates a store of certificates, and of the anchors of another store.
  ///
  /// - Throws: `SecurityError` of kind `unavailable` when OpenSSL rejects one of them.
  convenience init(_ certificates: some Sequence<Certificate>, beside other: AnchorStore? = nil) throws(SecurityError) {
    guard let pointer = X509_STORE_new() else { throw Self.unavailable }
    self.init(adopting: pointer)
    if let other {
      defer { extendLifetime(other) }
      guard let stack = X509_STORE_get1_all_certs(other.pointer) else { throw Self.unavailable }
      defer { curlew_certificates_free(stack) }
      for index in 0..<max(0, curlew_x509_count(stack)) {
        guard let anchor = curlew_x509_at(stack, index), X509_STORE_add_cert(pointer, anchor) == 1 else {
          throw Self.unavailable
        }
      }
    }
    for certificate in certificates {
      guard let parsed = ParsedCertificate(certificate.der) else { throw Self.unavailable }
      defer { extendLifetime(parsed) }
      guard X509_STORE_add_cert(pointer, parsed.pointer) == 1 else { throw Self.unavailable }
    }
  }

  deinit { X509_STORE_free(pointer) }

  private static let unavailable = SecurityError(.unavailable, "OpenSSL rejects one of the trust anchors.")

  /// The anchors of the system, read once per process; nil if the system has none.
  static let system: AnchorStore? = curlew_system_anchors().map { AnchorStore(adopting: $0) }
}

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
