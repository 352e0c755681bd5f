import COpenSSL
public import FoundationEssentials

/// A certificate revocation list (RFC 5280 §5) that could be read.
///
/// Its signature and its dates are checked when a certificate of its issuer is.
public struct RevocationList: Sendable, Hashable {
  /// The list, DER.
  public let der: Data

  /// Reads a list.
  ///
  /// - Throws: `SecurityError` of kind `malformedRevocationList` when the bytes are none.
  public init(der: Data) throws(SecurityError) {
    guard ParsedRevocationList(der) != nil else {
      throw SecurityError(.malformedRevocationList, "The bytes are no certificate revocation list in DER.")
    }
    self.der = der
  }

  /// Reads all lists of a PEM text, in order.
  ///
  /// - Throws: `SecurityError` of kind `malformedRevocationList` when one cannot be read, or there is none.
  public static func all(pem: Data) throws(SecurityError) -> [RevocationList] {
    try PEMBlocks.read(pem, labels: ["X509 CRL"], what: "revocation list", else: .malformedRevocationList) {
      der throws(SecurityError) in try RevocationList(der: der)
    }
  }
}

/// OpenSSL's form of a revocation list, freed with the last reference.
// Safe because OpenSSL locks what it caches in a list, and nothing here changes one.
final class ParsedRevocationList: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Nil when the bytes are not exactly one list.
  init?(_ der: Data) {
    guard let parsed = DERReader.read(der, d2i_X509_CRL, freeing: X509_CRL_free) else { return nil }
    pointer = parsed
  }

  deinit { X509_CRL_free(pointer) }
}
