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
    let blocks: [Data]
    do throws(SecurityError) {
      blocks = try PEMBlocks.of(pem, labels: ["X509 CRL"])
    } catch {
      throw SecurityError(.malformedRevocationList, error.message)
    }
    guard !blocks.isEmpty else {
      throw SecurityError(.malformedRevocationList, "The text has no PEM revocation list.")
    }
    var lists: [RevocationList] = []
    for block in blocks { lists.append(try RevocationList(der: block)) }
    return lists
  }
}

/// OpenSSL's form of a revocation list, freed with the last reference.
// Safe because OpenSSL locks what it caches in a list, and nothing here changes one.
final class ParsedRevocationList: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Nil when the bytes are not exactly one list.
  init?(_ der: Data) {
    let parsed = der.withUnsafeBytes { buffer -> OpaquePointer? in
      let start = buffer.bindMemory(to: UInt8.self).baseAddress
      var cursor = start
      guard let start, let parsed = d2i_X509_CRL(nil, &cursor, buffer.count) else { return nil }
      guard let cursor, cursor - start == buffer.count else {
        X509_CRL_free(parsed)
        return nil
      }
      return parsed
    }
    guard let parsed else {
      ERR_clear_error()
      return nil
    }
    pointer = parsed
  }

  deinit { X509_CRL_free(pointer) }
}
