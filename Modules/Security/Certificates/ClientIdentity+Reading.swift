import COpenSSL
public import CurlewCore
public import FoundationEssentials

extension ClientIdentity {
  /// Reads a certificate chain and its private key from PEM text.
  ///
  /// - Parameters:
  ///   - pem: The certificate, followed by its intermediates.
  ///   - key: The private key of the certificate, in PKCS#8 or an older format; it may be encrypted.
  ///   - password: The password of the key; nil when it is not encrypted.
  /// - Throws: `SecurityError` of kind `malformedCertificate`; of kind `unreadableKey` when the key is malformed or the
  ///   password is wrong; of kind `keyMismatch` when the key does not belong to the certificate.
  public init(pem: Data, key: Data, password: String? = nil) throws(SecurityError) {
    let chain = try Certificate.all(pem: pem)
    guard let first = chain.first, let leaf = ParsedCertificate(first.der) else {
      throw SecurityError(.malformedCertificate, "The text contains no certificate in PEM.")
    }
    guard let parsed = IdentityKey(pem: key, password: Data((password ?? "").utf8)) else {
      throw SecurityError(.unreadableKey, "The private key is malformed, or its password is wrong.")
    }
    try self.init(leaf: leaf, chain: chain.map(\.der), key: parsed)
  }

  /// Reads a PKCS#12 file (RFC 7292).
  ///
  /// The file sets the iteration counts of its encryption, so a hostile file can make this take very long.
  ///
  /// - Throws: `SecurityError` of kind `unreadableKey` when the file is malformed, lacks a certificate or a key, or the
  ///   password is wrong; of kind `keyMismatch` when the key does not belong to the certificate.
  public init(pkcs12: Data, password: String) throws(SecurityError) {
    let unreadable = SecurityError(
      .unreadableKey, "The PKCS#12 file is malformed, lacks a certificate or a key, or its password is wrong.")
    // OpenSSL takes a C string, so it would try what precedes the NUL.
    guard !password.utf8.contains(0) else {
      throw SecurityError(.unreadableKey, "The password contains a NUL, which no PKCS#12 file can be opened with.")
    }
    defer { ERR_clear_error() }
    guard let structure = DERReader.read(pkcs12, d2i_PKCS12, freeing: PKCS12_free) else { throw unreadable }
    defer { PKCS12_free(structure) }
    var key: OpaquePointer?
    var certificate: OpaquePointer?
    var others: OpaquePointer?
    guard PKCS12_parse(structure, password, &key, &certificate, &others) == 1 else { throw unreadable }
    defer {
      X509_free(certificate)
      if let others { curlew_certificates_free(others) }
    }
    let owned = key.map { IdentityKey(adopting: $0) }
    guard let owned, let certificate, let first = OpaqueCertificate(certificate),
      let leaf = ParsedCertificate(first.der)
    else { throw unreadable }
    var chain = [first.der]
    if let others {
      for index in 0..<max(0, curlew_x509_count(others)) {
        guard let other = curlew_x509_at(others, index), let parsed = OpaqueCertificate(other) else { throw unreadable }
        chain.append(parsed.der)
      }
    }
    try self.init(leaf: leaf, chain: chain, key: owned)
  }

  private init(leaf: ParsedCertificate, chain: [Data], key: IdentityKey) throws(SecurityError) {
    defer {
      extendLifetime(leaf)
      extendLifetime(key)
      ERR_clear_error()
    }
    guard X509_check_private_key(leaf.pointer, key.pointer) == 1 else {
      throw SecurityError(.keyMismatch, "The private key does not belong to the certificate.")
    }
    guard let plain = key.pem else { throw SecurityError(.unreadableKey, "The private key cannot be encoded as PEM.") }
    self.init(certificateChain: Data(chain.map(Self.pem).joined().utf8), privateKey: plain)
  }

  private static func pem(_ der: Data) -> String {
    let text = der.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    return "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
  }
}

/// A private key as OpenSSL parsed it; freed with the last reference.
final class IdentityKey {
  let pointer: OpaquePointer

  init(adopting pointer: OpaquePointer) { self.pointer = pointer }

  /// Reads a key; nil if the text contains no key or the password is wrong.
  init?(pem: Data, password: Data) {
    defer { ERR_clear_error() }
    guard !pem.isEmpty, let count = Int32(exactly: pem.count) else { return nil }
    var password = password
    let key = pem.withUnsafeBytes { buffer -> OpaquePointer? in
      guard let bio = BIO_new_mem_buf(buffer.baseAddress, count) else { return nil }
      defer { BIO_free(bio) }
      // Without a callback OpenSSL would prompt on the terminal, or cut the password at a NUL and after 1,024 bytes.
      return withUnsafeMutablePointer(to: &password) { password in
        PEM_read_bio_PrivateKey(
          bio, nil,
          { buffer, size, _, pointer in
            guard let buffer, let password = pointer?.assumingMemoryBound(to: Data.self).pointee, password.count <= size
            else { return -1 }
            password.withUnsafeBytes {
              UnsafeMutableRawBufferPointer(start: buffer, count: Int(size)).copyMemory(from: $0)
            }
            return Int32(password.count)
          }, password)
      }
    }
    guard let key else { return nil }
    pointer = key
  }

  deinit { EVP_PKEY_free(pointer) }

  /// The key as unencrypted PEM; nil when OpenSSL cannot encode it.
  var pem: Data? {
    guard let bio = BIO_new(BIO_s_mem()) else { return nil }
    defer { BIO_free(bio) }
    guard PEM_write_bio_PrivateKey(bio, pointer, nil, nil, 0, nil, nil) == 1 else { return nil }
    var bytes: UnsafeMutablePointer<CChar>?
    let count = curlew_memory(bio, &bytes)
    guard count > 0, let bytes else { return nil }
    return Data(bytes: bytes, count: count)
  }
}
