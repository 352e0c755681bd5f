import COpenSSL
import CurlewCore
import CurlewDigests
public import FoundationEssentials

/// An X.509 certificate (RFC 5280).
///
/// A certificate was parsed, but not verified. Two certificates are equal when all their bytes are.
public struct Certificate: Sendable, Hashable, CustomStringConvertible {
  /// The bytes of the certificate, in DER.
  public let der: Data
  /// The pin of its public key.
  public let publicKeyPin: PublicKeyPin

  /// Reads a certificate.
  ///
  /// - Throws: `SecurityError` of kind `malformedCertificate` when the bytes are not exactly one certificate.
  public init(der: Data) throws(SecurityError) {
    guard let parsed = ParsedCertificate(der), let pin = parsed.publicKeyPin else {
      throw SecurityError(.malformedCertificate, "The bytes are not one certificate in DER.")
    }
    self.der = der
    publicKeyPin = pin
  }

  /// Reads all certificates of a PEM text (RFC 7468) in order.
  ///
  /// Other blocks, and text between blocks, are ignored. The `TRUSTED CERTIFICATE` blocks that OpenSSL writes are read too,
  /// without their trust settings. A block whose settings exclude TLS servers is an error.
  ///
  /// - Throws: `SecurityError` of kind `malformedCertificate` when a certificate is malformed, or there is none, or more than
  ///   10,000; of kind `rejectedCertificate` when a block's own trust settings exclude TLS servers.
  public static func all(pem: Data) throws(SecurityError) -> [Certificate] {
    try PEMBlocks.read(
      pem, labels: ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"], what: "certificate",
      else: .malformedCertificate
    ) { label, der throws(SecurityError) in
      label == "TRUSTED CERTIFICATE" ? try Certificate(withTrustSettings: der) : try Certificate(der: der)
    }
  }

  /// Reads a certificate that OpenSSL's trust settings follow (`X509_CERT_AUX`).
  private init(withTrustSettings bytes: Data) throws(SecurityError) {
    guard let parsed = DERReader.read(bytes, d2i_X509_AUX, freeing: X509_free) else {
      throw SecurityError(.malformedCertificate, "A block TRUSTED CERTIFICATE holds no certificate in DER.")
    }
    defer { X509_free(parsed) }
    guard X509_check_trust(parsed, X509_TRUST_SSL_SERVER, 0) != X509_TRUST_REJECTED else {
      throw SecurityError(
        .rejectedCertificate,
        "The trust settings of a block TRUSTED CERTIFICATE exclude TLS servers."
      )
    }
    guard let plain = OpaqueCertificate(parsed) else {
      throw SecurityError(.malformedCertificate, "A block TRUSTED CERTIFICATE cannot be written as DER.")
    }
    try self.init(der: plain.der)
  }

  /// Reads one certificate in DER, or any number of certificates in PEM.
  ///
  /// - Throws: The errors of `init(der:)` and `all(pem:)`.
  public static func all(in bytes: Data) throws(SecurityError) -> [Certificate] {
    // DER begins with the tag of a SEQUENCE, 0x30, which in text is the digit 0, and a length above 0x7F, which is not ASCII.
    if bytes.first == 0x30, bytes.dropFirst().first.map({ $0 >= 0x80 }) == true {
      return [try Certificate(der: bytes)]
    }
    return try all(pem: bytes)
  }

  /// The pin of its public key.
  public var description: String { "Certificate(\(publicKeyPin))" }
}

/// A certificate as OpenSSL parsed it; freed with the last reference.
// Safe because OpenSSL locks what it caches in a certificate, and nothing here changes one.
final class ParsedCertificate: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Parses a certificate, or returns nil unless the bytes are exactly one.
  init?(_ der: Data) {
    guard let parsed = DERReader.read(der, d2i_X509, freeing: X509_free) else { return nil }
    pointer = parsed
  }

  deinit { X509_free(pointer) }

  /// The pin of its public key; nil when OpenSSL cannot encode the key.
  var publicKeyPin: PublicKeyPin? { PublicKeyPin(of: pointer) }
}

/// A cache of parsed certificates that servers showed.
///
/// Servers show the same certificates again, and parsing one costs as much as verifying its signature.
enum ShownCertificates {
  private static let kept = Guarded<[Data: ParsedCertificate]>([:])
  private static let limits = (count: 64, bytes: 8 << 10)

  /// Returns a parsed certificate, or nil unless the bytes are exactly one.
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

/// Parses DER into OpenSSL's structures.
enum DERReader {
  /// Returns a structure, which the caller must free.
  ///
  /// Nil unless the bytes are exactly one structure.
  static func read(
    _ der: Data,
    _ parse: (
      UnsafeMutablePointer<OpaquePointer?>?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Int
    ) -> OpaquePointer?,
    freeing free: (OpaquePointer?) -> Void
  ) -> OpaquePointer? {
    defer { ERR_clear_error() }
    return der.withUnsafeBytes { buffer -> OpaquePointer? in
      let start = buffer.bindMemory(to: UInt8.self).baseAddress
      var cursor = start
      guard let start, let parsed = parse(nil, &cursor, buffer.count) else { return nil }
      guard let cursor, cursor - start == buffer.count else {
        free(parsed)
        return nil
      }
      return parsed
    }
  }
}

/// The SHA-256 hash of a public key, which identifies the key in any certificate.
///
/// The hash covers the whole SubjectPublicKeyInfo (RFC 7469 §2.4), so a renewed certificate with the same key has the same
/// pin. As text it is `sha256/` and Base64 with padding.
public struct PublicKeyPin: Sendable, Hashable, CustomStringConvertible {
  /// The hash, 32 bytes.
  public let hash: Data

  /// Reads a pin.
  ///
  /// - Throws: `SecurityError` of kind `malformedPin` unless the text is `sha256/` and the Base64 of 32 bytes.
  public init(_ text: String) throws(SecurityError) {
    let head = "sha256/"
    guard text.hasPrefix(head), let hash = Data(base64Encoded: String(text.dropFirst(head.count))), hash.count == 32,
      "\(head)\(hash.base64EncodedString())" == text
    else {
      let isSpaced = text.first?.isWhitespace == true || text.last?.isWhitespace == true
      throw SecurityError(
        .malformedPin,
        "\"\(text.prefix(80))\" is no pin, which consists of \"sha256/\" and the Base64 of 32 bytes"
          + (isSpaced ? "; it has white space around it." : "."))
    }
    self.hash = hash
  }

  /// Creates the pin of a certificate's key; nil when OpenSSL cannot encode the key.
  init?(of certificate: OpaquePointer) {
    var pointer: UnsafeMutablePointer<UInt8>?
    let count = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &pointer)
    guard count > 0, let pointer else { return nil }
    defer { CRYPTO_free(pointer, "", 0) }
    guard let hash = try? Digest.of(Data(bytes: pointer, count: Int(count)), .sha256), hash.count == 32 else {
      return nil
    }
    self.hash = hash
  }

  /// The pin as text.
  public var description: String { "sha256/" + hash.base64EncodedString() }
}
