import COpenSSL
import FoundationEssentials

/// A private key that was created for a test.
public struct TestKey: Sendable, Hashable {
  /// The kinds of keys.
  package enum Kind: Sendable, Hashable {
    /// ECDSA on P-256, which is created in well under a millisecond.
    case p256
    /// ECDSA on P-384.
    case p384
    /// RSA with this many bits.
    ///
    /// 2048 bits take about a tenth of a second; 1024 bits are too weak for most verifiers.
    case rsa(bits: Int)
    /// Ed25519, which many servers and verifiers do not support.
    case ed25519
  }

  /// The key as an unencrypted PKCS#8 structure, DER.
  package let der: [UInt8]

  /// Creates a new key.
  ///
  /// - Throws: `CertificateError` when OpenSSL refuses, for example for RSA with fewer than 512 bits.
  package init(_ kind: Kind = .p256) throws(CertificateError) {
    let key: OpaquePointer? =
      switch kind {
      case .p256: curlew_generate_ec("P-256")
      case .p384: curlew_generate_ec("P-384")
      case .rsa(let bits): curlew_generate_rsa(UInt32(clamping: bits))
      case .ed25519: curlew_generate_ed25519()
      }
    guard let key else { throw CertificateError("generate a key") }
    defer { EVP_PKEY_free(key) }
    guard let structure = EVP_PKEY2PKCS8(key) else { throw CertificateError("encode a key") }
    defer { PKCS8_PRIV_KEY_INFO_free(structure) }
    guard let der = derBytes({ i2d_PKCS8_PRIV_KEY_INFO(structure, $0) }) else { throw CertificateError("encode a key") }
    self.der = der
  }

  /// The key as PEM, unencrypted.
  package var pem: String { PEM.text("PRIVATE KEY", der) }

  /// Returns the key as PEM, encrypted with AES-256 under a password.
  ///
  /// - Throws: `CertificateError` when OpenSSL refuses, for example for a password with fewer than 4 characters.
  package func pem(password: String) throws(CertificateError) -> String {
    let text = try? withKey { key -> String? in
      guard let bio = BIO_new(BIO_s_mem()) else { return nil }
      defer { BIO_free(bio) }
      var password = password.utf8.map { CChar(bitPattern: $0) }
      guard
        PEM_write_bio_PKCS8PrivateKey(bio, key, EVP_aes_256_cbc(), &password, Int32(password.count), nil, nil) == 1
      else { return nil }
      return MemoryBIO.text(bio)
    }
    guard let text = text ?? nil else { throw CertificateError("encrypt a key") }
    return text
  }

  /// Calls `body` with OpenSSL's form of the key.
  package func withKey<Result>(_ body: (OpaquePointer) throws -> Result) throws -> Result {
    guard let key = withDER(der, { d2i_AutoPrivateKey(nil, $0, $1) }) else { throw CertificateError("read a key") }
    defer { EVP_PKEY_free(key) }
    return try body(key)
  }
}

/// PEM text (RFC 7468).
package enum PEM {
  package static func text(_ label: String, _ der: [UInt8]) -> String {
    let base64 = [UInt8](Data(der).base64EncodedString().utf8)
    let lines = stride(from: 0, to: base64.count, by: 64).map {
      String(decoding: base64[$0..<min($0 + 64, base64.count)], as: UTF8.self)
    }
    return "-----BEGIN \(label)-----\n\(lines.joined(separator: "\n"))\n-----END \(label)-----\n"
  }
}

/// OpenSSL's buffers in memory.
package enum MemoryBIO {
  package static func text(_ bio: OpaquePointer) -> String? {
    var bytes: UnsafeMutablePointer<CChar>?
    let count = curlew_memory(bio, &bytes)
    guard count > 0, let bytes else { return nil }
    return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
