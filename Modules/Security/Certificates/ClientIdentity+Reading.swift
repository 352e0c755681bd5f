import COpenSSL
public import CurlewCore
public import FoundationEssentials

extension ClientIdentity {
  /// Reads a certificate chain and its key, which may be encrypted, from PEM text.
  ///
  /// - Parameters:
  ///   - pem: The certificate, followed by its intermediates.
  ///   - key: Its private key; PKCS#8 or the older forms.
  ///   - password: Opens the key; nil when it is not encrypted.
  /// - Throws: `SecurityError` of kind `malformedCertificate`, `unreadableKey` when the key cannot be read or the
  ///   password does not open it, `keyMismatch` when it is not the certificate's.
  public init(pem: Data, key: Data, password: String? = nil) throws(SecurityError) {
    let chain = try Certificate.all(pem: pem)
    guard let first = chain.first, let leaf = ParsedCertificate(first.der) else {
      throw SecurityError(.malformedCertificate, "The text has no PEM certificate.")
    }
    guard let parsed = IdentityKey(pem: key, password: password ?? "") else {
      throw SecurityError(.unreadableKey, "The private key cannot be read; check the file and its password.")
    }
    try self.init(leaf: leaf, chain: chain.map(\.der), key: parsed)
  }

  /// Reads a PKCS#12 file (RFC 7292).
  ///
  /// How long opening takes is the file's to say (its iteration counts): read one of a stranger where that may be long.
  ///
  /// - Throws: `SecurityError` of kind `unreadableKey` when it cannot be read, has no certificate or key, or the password
  ///   does not open it; `keyMismatch` when the key is not the certificate's.
  public init(pkcs12: Data, password: String) throws(SecurityError) {
    let unreadable = SecurityError(
      .unreadableKey, "The PKCS#12 file cannot be read; check the file and its password.")
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
    defer { ERR_clear_error() }
    guard X509_check_private_key(leaf.pointer, key.pointer) == 1 else {
      throw SecurityError(.keyMismatch, "The private key is not the certificate's.")
    }
    guard let plain = key.pem else { throw SecurityError(.unreadableKey, "The private key cannot be written as PEM.") }
    self.init(certificateChain: Data(chain.map(Self.pem).joined().utf8), privateKey: plain)
  }

  private static func pem(_ der: Data) -> String {
    let text = der.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    return "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
  }
}

/// OpenSSL's form of a private key, freed with the last reference.
final class IdentityKey {
  let pointer: OpaquePointer

  init(adopting pointer: OpaquePointer) { self.pointer = pointer }

  /// Nil when the text has no key, or the password does not open it.
  init?(pem: Data, password: String) {
    defer { ERR_clear_error() }
    guard !pem.isEmpty, let count = Int32(exactly: pem.count) else { return nil }
    var password = Array(password.utf8CString)
    let key = pem.withUnsafeBytes { buffer -> OpaquePointer? in
      guard let bio = BIO_new_mem_buf(buffer.baseAddress, count) else { return nil }
      defer { BIO_free(bio) }
      // Always given a password, be it empty: without one OpenSSL would ask on the terminal.
      return password.withUnsafeMutableBytes { PEM_read_bio_PrivateKey(bio, nil, nil, $0.baseAddress) }
    }
    guard let key else { return nil }
    pointer = key
  }

  deinit { EVP_PKEY_free(pointer) }

  /// The key as PEM, not encrypted; nil when OpenSSL cannot write it.
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
