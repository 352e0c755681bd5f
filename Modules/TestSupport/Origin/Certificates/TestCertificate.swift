import COpenSSL
import FoundationEssentials

/// An X.509 certificate that was created for a test or read from elsewhere.
public struct TestCertificate: Sendable, Hashable {
  /// The bytes of the certificate, in DER.
  public let der: [UInt8]

  /// Creates a certificate from bytes, which are not checked.
  package init(der: [UInt8]) {
    self.der = der
  }

  /// The certificate as PEM.
  public var pem: String { PEM.text("CERTIFICATE", der) }

  /// The SHA-256 of its SubjectPublicKeyInfo, 32 bytes.
  ///
  /// Nil when OpenSSL cannot read the certificate.
  package var publicKeySHA256: [UInt8]? {
    let info = withCertificate { certificate in
      derBytes { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), $0) }
    }
    guard let info = info ?? nil else { return nil }
    return Self.sha256(info)
  }

  /// The pin of its public key, `sha256/` and Base64 (RFC 7469).
  ///
  /// Nil if the certificate cannot be read.
  public var pin: String? { publicKeySHA256.map { "sha256/" + Data($0).base64EncodedString() } }

  /// The SHA-256 of the whole certificate, 32 bytes.
  package var fingerprint: [UInt8] { Self.sha256(der) }

  /// Calls `body` with OpenSSL's form of the certificate.
  ///
  /// Returns nil if the bytes are not a certificate.
  package func withCertificate<Result>(_ body: (OpaquePointer) throws -> Result) rethrows -> Result? {
    guard let certificate = withDER(der, { d2i_X509(nil, $0, $1) }) else {
      ERR_clear_error()
      return nil
    }
    defer { X509_free(certificate) }
    return try body(certificate)
  }

  private static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
    return digest
  }
}
