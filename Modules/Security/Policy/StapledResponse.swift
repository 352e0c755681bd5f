import COpenSSL
import CurlewCore
import FoundationEssentials
import Glibc

/// Checks a stapled OCSP response, which proves that a certificate is not revoked.
///
/// The rules are those of RFC 6960.
struct StapledResponse {
  private static let mostBytes = 64 << 10
  private static let mostAnswers: Int32 = 100
  /// The allowed difference between the responder's clock and ours, in seconds.
  private static let skew: TimeInterval = 300
  /// The lifetime of an answer without an end, in seconds.
  private static let lifetimeWithoutEnd: TimeInterval = 24 * 3600

  /// The signed part as OpenSSL parsed it; freed by `require`.
  private let basic: OpaquePointer
  private let leaf: ParsedCertificate
  private let issuer: ParsedCertificate
  private let date: Date

  /// Returns when the response shows that the leaf is not revoked.
  ///
  /// - Parameter chain: The verified chain, leaf first.
  static func require(_ der: Data?, for chain: [OpaqueCertificate], at date: Date) throws(ServerTrustError) {
    guard let der else { throw unknown("The server stapled no OCSP response.") }
    defer { ERR_clear_error() }
    guard der.count <= mostBytes,
      let response = DERReader.read(der, d2i_OCSP_RESPONSE, freeing: OCSP_RESPONSE_free)
    else { throw unknown("The stapled OCSP response is malformed, or longer than \(mostBytes) bytes.") }
    defer { OCSP_RESPONSE_free(response) }
    guard OCSP_response_status(response) == OCSP_RESPONSE_STATUS_SUCCESSFUL,
      let basic = OCSP_response_get1_basic(response)
    else { throw unknown("The stapled OCSP response says that the responder has no answer.") }
    defer { OCSP_BASICRESP_free(basic) }
    guard chain.count > 1, let leaf = ParsedCertificate(chain[0].der), let issuer = ParsedCertificate(chain[1].der)
    else {
      throw unknown("The chain lacks the certificate's issuer, which the stapled OCSP response is checked with.")
    }
    defer {
      extendLifetime(leaf)
      extendLifetime(issuer)
    }
    let stapled = StapledResponse(basic: basic, leaf: leaf, issuer: issuer, date: date)
    try stapled.checkSignature()
    try stapled.checkAnswers()
  }

  // MARK: Who signed it

  /// Requires the issuer's signature, or that of a responder which it certified.
  ///
  /// RFC 6960 §4.2.2.2 allows no other signer.
  private func checkSignature() throws(ServerTrustError) {
    guard isStrong else { throw Self.unknown("The stapled OCSP response is not signed with SHA-256 or better.") }
    if isSigned(by: issuer.pointer) { return }
    var signer: OpaquePointer?
    guard OCSP_resp_get0_signer(basic, &signer, nil) == 1, let signer, isDelegate(signer), isSigned(by: signer) else {
      throw Self.unknown("The stapled OCSP response is not signed by the certificate's issuer or a responder of it.")
    }
  }

  private var isStrong: Bool {
    var object: OpaquePointer?
    guard let algorithm = OCSP_resp_get0_tbs_sigalg(basic) else { return false }
    X509_ALGOR_get0(&object, nil, nil, algorithm)
    let signature = OBJ_obj2nid(object)
    if [NID_ED25519, NID_ED448].contains(signature) { return true }
    var digest: Int32 = 0
    return OBJ_find_sigid_algs(signature, &digest, nil) == 1
      && [NID_sha256, NID_sha384, NID_sha512].contains(digest)
  }

  private func isSigned(by certificate: OpaquePointer) -> Bool {
    guard let signers = curlew_x509_stack() else { return false }
    defer { curlew_x509_stack_free(signers) }
    _ = curlew_x509_push(signers, certificate)
    // This call checks only the signature by this signer; `isDelegate` decides whether the signer is authorized.
    return OCSP_basic_verify(basic, signers, nil, UInt(OCSP_NOINTERN | OCSP_NOVERIFY)) == 1
  }

  private func isDelegate(_ signer: OpaquePointer) -> Bool {
    // Without the extension OpenSSL reports every key usage.
    guard X509_get_extension_flags(signer) & UInt32(EXFLAG_XKUSAGE) != 0,
      X509_get_extended_key_usage(signer) & UInt32(XKU_OCSP_SIGN) != 0,
      let time = time_t(exactly: date.timeIntervalSince1970.rounded(.down)), let store = X509_STORE_new()
    else { return false }
    defer { X509_STORE_free(store) }
    guard X509_STORE_add_cert(store, issuer.pointer) == 1, let context = X509_STORE_CTX_new() else { return false }
    defer { X509_STORE_CTX_free(context) }
    // Without intermediates the chain can only be the signer and its issuer.
    guard X509_STORE_CTX_init(context, store, signer, nil) == 1,
      let parameters = X509_STORE_CTX_get0_param(context)
    else { return false }
    curlew_server_rules(parameters, time, 0)
    X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_OCSP_HELPER)
    return X509_verify_cert(context) == 1
  }

  // MARK: What it says

  private func checkAnswers() throws(ServerTrustError) {
    let count = OCSP_resp_count(basic)
    guard count <= Self.mostAnswers else {
      throw Self.unknown("The stapled OCSP response has more than \(Self.mostAnswers) answers.")
    }
    var isAnswered = false
    for index in 0..<max(0, count) {
      guard let answer = OCSP_resp_get0(basic, index), let id = OCSP_SINGLERESP_get0_id(answer), isAboutLeaf(id) else {
        continue
      }
      try check(answer)
      isAnswered = true
    }
    guard isAnswered else { throw Self.unknown("The stapled OCSP response is about another certificate.") }
  }

  private func isAboutLeaf(_ id: OpaquePointer) -> Bool {
    var algorithm: OpaquePointer?
    guard OCSP_id_get0_info(nil, &algorithm, nil, nil, id) == 1,
      let digest = EVP_get_digestbyname(OBJ_nid2sn(OBJ_obj2nid(algorithm))),
      let own = OCSP_cert_to_id(digest, leaf.pointer, issuer.pointer)
    else { return false }
    defer { OCSP_CERTID_free(own) }
    return OCSP_id_cmp(own, id) == 0
  }

  private func check(_ answer: OpaquePointer) throws(ServerTrustError) {
    var begin: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
    var end: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
    let status = OCSP_single_get0_status(answer, nil, nil, &begin, &end)
    if status == V_OCSP_CERTSTATUS_REVOKED {
      throw ServerTrustError(.revoked, certificate: 0, message: "The server's certificate was revoked.")
    }
    guard status == V_OCSP_CERTSTATUS_GOOD else {
      throw Self.unknown("The stapled OCSP response says that the certificate is unknown.")
    }
    guard let begin = CertificateText.date(begin), begin <= date.addingTimeInterval(Self.skew) else {
      throw Self.unknown("The stapled OCSP response has no date, or a date in the future.")
    }
    let last = end == nil ? begin.addingTimeInterval(Self.lifetimeWithoutEnd) : CertificateText.date(end)
    guard let last, last >= date.addingTimeInterval(-Self.skew) else {
      throw Self.unknown("The stapled OCSP response is out of date.")
    }
  }

  private static func unknown(_ message: String) -> ServerTrustError {
    ServerTrustError(.revocationUnknown, certificate: 0, message: message)
  }
}
