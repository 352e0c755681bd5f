import COpenSSL
package import CurlewTestSupport
import FoundationEssentials

extension TestIdentity {
  /// The status of a certificate in an OCSP response.
  package enum RevocationStatus: Sendable, Hashable {
    /// Not revoked.
    case good
    /// Revoked an hour ago.
    case revoked
    /// Not known to the responder.
    case unknown
  }

  /// The scope of a certificate revocation list (RFC 5280 §5.2.4, §5.2.5).
  package enum RevocationScope: Sendable, Hashable {
    /// All certificates of the issuer, whatever the reason of the revocation.
    case full
    /// Only certificates that were revoked because their key was compromised.
    case keyCompromise
    /// Certificates of other issuers too; each entry names its issuer.
    case indirect
    /// Only the changes since an earlier list.
    case delta
  }

  /// Returns a revocation list that this authority signed, in DER.
  ///
  /// - Parameters:
  ///   - revoked: The certificates in the list, which were revoked an hour ago.
  ///   - scope: The scope of the list.
  ///   - lastUpdate: The time of the list, in seconds from now.
  ///   - nextUpdate: The time of the next list, in seconds from now; negative for an outdated list.
  /// - Throws: `CertificateError` when a certificate cannot be read or signing fails.
  package func revocationList(
    _ revoked: [TestCertificate], scope: RevocationScope = .full, lastUpdate: Int64 = -60,
    nextUpdate: Int64? = 24 * 3600
  ) throws(CertificateError) -> [UInt8] {
    guard let list = X509_CRL_new() else { throw CertificateError("make a revocation list") }
    defer { X509_CRL_free(list) }
    X509_CRL_set_version(list, 1)
    withTime(lastUpdate) { _ = X509_CRL_set1_lastUpdate(list, $0) }
    if let nextUpdate { withTime(nextUpdate) { _ = X509_CRL_set1_nextUpdate(list, $0) } }
    for certificate in revoked {
      guard let entry = X509_REVOKED_new() else { throw CertificateError("make a revocation") }
      let isRead: Void? = certificate.withCertificate {
        X509_REVOKED_set_serialNumber(entry, X509_get_serialNumber($0))
        if scope == .indirect { curlew_revoked_issuer(entry, X509_get_issuer_name($0)) }
      }
      withTime(-3600) { _ = X509_REVOKED_set_revocationDate(entry, $0) }
      guard isRead != nil, X509_CRL_add0_revoked(list, entry) == 1 else {
        X509_REVOKED_free(entry)
        throw CertificateError("revoke a certificate")
      }
    }
    X509_CRL_sort(list)
    switch scope {
    case .full: break
    case .keyCompromise: Self.add("critical,onlysomereasons:keyCompromise", to: list)
    case .indirect: Self.add("critical,indirectCRL:TRUE", to: list)
    case .delta: curlew_delta_list(list, 1)
    }
    let isNamed = certificate.withCertificate { X509_CRL_set_issuer_name(list, X509_get_subject_name($0)) }
    let isSigned = try? key.withKey { X509_CRL_sign(list, $0, EVP_sha256()) > 0 }
    guard isNamed == 1, isSigned == true, let der = derBytes({ i2d_X509_CRL(list, $0) }) else {
      throw CertificateError("sign a revocation list")
    }
    return der
  }

  /// Returns an OCSP response in DER, ready for stapling (RFC 6960).
  ///
  /// - Parameters:
  ///   - certificate: The certificate to describe, which this authority issued.
  ///   - status: Its status.
  ///   - thisUpdate: The time of the response, in seconds from now.
  ///   - nextUpdate: The time of the next response, in seconds from now; negative for an outdated response.
  /// - Throws: `CertificateError` when a certificate cannot be read or signing fails.
  package func ocspResponse(
    for certificate: TestCertificate, _ status: RevocationStatus = .good, thisUpdate: Int64 = -60,
    nextUpdate: Int64 = 24 * 3600
  ) throws(CertificateError) -> [UInt8] {
    let failure = "make an OCSP response"
    guard let basic = OCSP_BASICRESP_new() else { throw CertificateError(failure) }
    defer { OCSP_BASICRESP_free(basic) }
    let code =
      switch status {
      case .good: V_OCSP_CERTSTATUS_GOOD
      case .revoked: V_OCSP_CERTSTATUS_REVOKED
      case .unknown: V_OCSP_CERTSTATUS_UNKNOWN
      }
    let issuer = self.certificate
    let der = try? key.withKey { key in
      issuer.withCertificate { issuer in
        certificate.withCertificate { certificate -> [UInt8]? in
          guard let id = OCSP_cert_to_id(EVP_sha1(), certificate, issuer) else { return nil }
          defer { OCSP_CERTID_free(id) }
          withTime(-3600) { revoked in
            withTime(thisUpdate) { this in
              withTime(nextUpdate) { next in
                _ = OCSP_basic_add1_status(basic, id, code, 0, status == .revoked ? revoked : nil, this, next)
              }
            }
          }
          guard OCSP_basic_sign(basic, issuer, key, EVP_sha256(), nil, 0) == 1,
            let response = OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic)
          else { return nil }
          defer { OCSP_RESPONSE_free(response) }
          return derBytes { i2d_OCSP_RESPONSE(response, $0) }
        }
      }
    }
    guard let der = ((der ?? nil) ?? nil) ?? nil else { throw CertificateError(failure) }
    return der
  }

  private static func add(_ distributionPoint: String, to list: OpaquePointer) {
    guard let made = curlew_extension(nil, nil, NID_issuing_distribution_point, distributionPoint) else { return }
    X509_CRL_add_ext(list, made, -1)
    X509_EXTENSION_free(made)
  }

  private func withTime(_ seconds: Int64, _ body: (UnsafeMutablePointer<ASN1_TIME>?) -> Void) {
    let time = ASN1_TIME_set(nil, Int(Date().timeIntervalSince1970) + Int(seconds))
    body(time)
    ASN1_TIME_free(time)
  }
}
