import COpenSSL
import CurlewCore
public import FoundationEssentials

/// An X.509 certificate (RFC 5280) that could be read.
///
/// Equal when every byte is. Being readable says nothing of being valid.
public struct Certificate: Sendable, Hashable, CustomStringConvertible {
  /// The certificate, DER.
  public let der: Data
  /// The pin of its public key.
  public let publicKeyPin: PublicKeyPin

  /// Reads a certificate.
  ///
  /// - Throws: `SecurityError` of kind `malformedCertificate` when the bytes are none, or more than one.
  public init(der: Data) throws(SecurityError) {
    guard let parsed = ParsedCertificate(der), let pin = parsed.publicKeyPin else {
      throw SecurityError(.malformedCertificate, "The bytes are no certificate in DER.")
    }
    self.der = der
    publicKeyPin = pin
  }

  /// Reads all certificates of a PEM text (RFC 7468), in order; other blocks and text between them are passed over.
  ///
  /// - Throws: `SecurityError` of kind `malformedCertificate` when one cannot be read, or there is none, or more than
  ///   10,000.
  public static func all(pem: Data) throws(SecurityError) -> [Certificate] {
    try PEMBlocks.read(
      pem, labels: ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"], what: "certificate",
      else: .malformedCertificate
    ) { der throws(SecurityError) in try Certificate(der: der) }
  }

  /// Reads what may be one certificate in DER or any number of them in PEM.
  ///
  /// - Throws: As `init(der:)` and `all(pem:)`.
  public static func all(in bytes: Data) throws(SecurityError) -> [Certificate] {
    // A certificate is a SEQUENCE; no PEM text begins with that byte, which is the digit 0.
    if bytes.first == 0x30, bytes.dropFirst().first.map({ $0 >= 0x80 }) == true {
      return [try Certificate(der: bytes)]
    }
    return try all(pem: bytes)
  }

  /// Its public key's pin.
  public var description: String { "Certificate(\(publicKeyPin))" }
}

/// OpenSSL's form of a certificate, freed with the last reference.
// Safe because OpenSSL locks what it caches in a certificate, and nothing here changes one.
final class ParsedCertificate: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Nil when the bytes are not exactly one certificate.
  init?(_ der: Data) {
    guard let parsed = DERReader.read(der, d2i_X509, freeing: X509_free) else { return nil }
    pointer = parsed
  }

  deinit { X509_free(pointer) }

  /// Nil when the key's structure cannot be written.
  var publicKeyPin: PublicKeyPin? { PublicKeyPin(of: pointer) }
}

/// Certificates that servers showed lately: most show the same ones again, and reading one costs as much as verifying its
/// signature.
enum ShownCertificates {
  private static let kept = Guarded<[Data: ParsedCertificate]>([:])
  private static let limits = (count: 64, bytes: 8 << 10)

  /// Nil when the bytes are not exactly one certificate.
  static func parsed(_ der: Data) -> ParsedCertificate? {
    if let known = kept.withLock({ $0[der] }) { return known }
    guard let parsed = ParsedCertificate(der) else { return nil }
    guard der.count <= limits.bytes else { return parsed }
    kept.withLock { kept in
      if kept.count >= limits.count { kept.removeAll(keepingCapacity: true) }
      kept[der] = parsed
    }
    return parsed
  }
}
