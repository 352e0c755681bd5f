import COpenSSL
public import FoundationEssentials

/// A list of revoked certificates (RFC 5280 §5).
///
/// The list's signature and dates are checked whenever a certificate of its issuer is verified. Clocks may differ by five minutes, and a
/// list without an end counts for a day. An anchor whose own issuer is not among the anchors is refused only if a list names it. Only an issuer's full list
/// proves that a certificate is not revoked. A delta, an indirect list or a list of some reasons only proves nothing by
/// itself, but a certificate that it names is refused.
public struct RevocationList: Sendable, Hashable {
  /// The bytes of the list, in DER.
  public let der: Data

  /// Reads a list.
  ///
  /// - Throws: `SecurityError` of kind `malformedRevocationList` when the bytes are not exactly one list.
  public init(der: Data) throws(SecurityError) {
    guard ParsedRevocationList(der) != nil else {
      throw SecurityError(.malformedRevocationList, "The bytes are not one certificate revocation list in DER.")
    }
    self.der = der
  }

  /// Reads all lists of a PEM text in order.
  ///
  /// - Throws: `SecurityError` of kind `malformedRevocationList` when a list is malformed, or there is none.
  public static func all(pem: Data) throws(SecurityError) -> [RevocationList] {
    try PEMBlocks.read(pem, labels: ["X509 CRL"], what: "revocation list", else: .malformedRevocationList) {
      _, der throws(SecurityError) in try RevocationList(der: der)
    }
  }
}

/// A revocation list as OpenSSL parsed it; freed with the last reference.
// Safe because OpenSSL locks what it caches in a list, and nothing here changes one.
final class ParsedRevocationList: @unchecked Sendable {
  let pointer: OpaquePointer
  /// Whether the list covers only a part of the issuer's certificates.
  ///
  /// It is a delta, an indirect list, or limited to some reasons or to attribute certificates. No such list shows that a
  /// certificate is not revoked.
  let isPartial: Bool
  /// Whether it says when the next list comes (RFC 5280 §5.1.2.5).
  let hasEnd: Bool

  /// Parses a list, or returns nil unless the bytes are exactly one.
  init?(_ der: Data) {
    guard let parsed = DERReader.read(der, d2i_X509_CRL, freeing: X509_CRL_free) else { return nil }
    pointer = parsed
    isPartial = curlew_crl_is_partial(parsed) != 0
    hasEnd = X509_CRL_get0_nextUpdate(parsed) != nil
  }

  deinit { X509_CRL_free(pointer) }

  /// Returns whether the list names a certificate as revoked.
  ///
  /// It compares issuer and serial number.
  func names(_ certificate: OpaquePointer) -> Bool { X509_CRL_get0_by_cert(pointer, nil, certificate) == 1 }

  /// Returns whether the list is the issuer's and its key signed it.
  func isSigned(by issuer: OpaquePointer) -> Bool {
    defer { ERR_clear_error() }
    guard X509_NAME_cmp(X509_CRL_get_issuer(pointer), X509_get_subject_name(issuer)) == 0 else { return false }
    return X509_CRL_verify(pointer, X509_get0_pubkey(issuer)) == 1
  }
}
