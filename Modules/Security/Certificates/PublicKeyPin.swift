import COpenSSL
import CurlewDigests
public import FoundationEssentials

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
      throw SecurityError(
        .malformedPin, "\"\(text.prefix(80))\" is no pin, which consists of \"sha256/\" and the Base64 of 32 bytes.")
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
