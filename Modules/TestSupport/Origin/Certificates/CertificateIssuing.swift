import COpenSSL
public import FoundationEssentials
import Glibc

/// Builds and signs one certificate with OpenSSL.
struct CertificateIssuing {
  let profile: CertificateProfile
  /// The issuer that signs; nil for a self-signed certificate.
  let issuer: TestIdentity?

  func issue(for key: TestKey) throws(CertificateError) -> TestCertificate {
    do {
      return try key.withKey { key in
        guard let issuer else { return try sign(key, issuerKey: key, issuer: nil) }
        return try issuer.key.withKey { issuerKey in
          let issued = try issuer.certificate.withCertificate { try sign(key, issuerKey: issuerKey, issuer: $0) }
          guard let issued else { throw CertificateError("read the issuer's certificate") }
          return issued
        }
      }
    } catch let error as CertificateError {
      throw error
    } catch {
      throw CertificateError("issue a certificate")
    }
  }

  private func sign(_ key: OpaquePointer, issuerKey: OpaquePointer, issuer: OpaquePointer?) throws -> TestCertificate {
    guard let certificate = X509_new() else { throw CertificateError("make a certificate") }
    defer { X509_free(certificate) }
    X509_set_version(certificate, 2)
    ASN1_INTEGER_set_uint64(
      X509_get_serialNumber(certificate), profile.serialNumber ?? UInt64.random(in: 1...UInt64(Int64.max)))
    let now = Int(Date().timeIntervalSince1970)
    ASN1_TIME_set(X509_getm_notBefore(certificate), now + Int(profile.notBefore))
    ASN1_TIME_set(X509_getm_notAfter(certificate), now + Int(profile.notAfter))
    X509_set_pubkey(certificate, key)
    if let commonName = profile.commonName {
      let bytes = [UInt8](commonName.utf8)
      X509_NAME_add_entry_by_txt(
        X509_get_subject_name(certificate), "CN", MBSTRING_FLAG | 0, bytes, Int32(bytes.count), -1, 0)
    }
    X509_set_issuer_name(certificate, X509_get_subject_name(issuer ?? certificate))
    try addExtensions(certificate, issuer: issuer ?? certificate)
    let digest: OpaquePointer? =
      EVP_PKEY_get_base_id(issuerKey) == EVP_PKEY_ED25519 ? nil : profile.usesSHA1 ? EVP_sha1() : EVP_sha256()
    guard X509_sign(certificate, issuerKey, digest) > 0, var der = derBytes({ i2d_X509(certificate, $0) }) else {
      throw CertificateError("sign a certificate")
    }
    // A certificate ends with its signature.
    if profile.breaksSignature, let last = der.indices.last { der[last] ^= 1 }
    return TestCertificate(der: der)
  }

  private func addExtensions(_ certificate: OpaquePointer, issuer: OpaquePointer) throws(CertificateError) {
    let configured: [(Int32, String?)] = [
      (NID_basic_constraints, profile.basicConstraints), (NID_key_usage, profile.keyUsage),
      (NID_ext_key_usage, profile.extendedKeyUsage), (NID_name_constraints, profile.nameConstraints),
      (NID_tlsfeature, profile.mustStaple ? "status_request" : nil), (NID_subject_key_identifier, "hash"),
      (NID_authority_key_identifier, self.issuer == nil ? nil : "keyid"),
    ]
    for (nid, value) in configured {
      guard let value else { continue }
      guard let made = curlew_extension(issuer, certificate, nid, value) else {
        throw CertificateError("make the extension \(value)")
      }
      X509_add_ext(certificate, made, -1)
      X509_EXTENSION_free(made)
    }
    if let names = profile.alternativeNames {
      // An empty subject makes the names critical (RFC 5280 §4.2.1.6).
      try add(OBJ_nid2obj(NID_subject_alt_name), isCritical: profile.commonName == nil, names, to: certificate)
    }
    for (oid, isCritical, der) in profile.extensions {
      guard let object = OBJ_txt2obj(oid, 1) else { throw CertificateError("read the OID \(oid)") }
      defer { ASN1_OBJECT_free(object) }
      try add(object, isCritical: isCritical, der, to: certificate)
    }
  }

  private func add(
    _ object: OpaquePointer?, isCritical: Bool, _ der: [UInt8], to certificate: OpaquePointer
  )
    throws(CertificateError)
  {
    guard let content = ASN1_OCTET_STRING_new() else { throw CertificateError("make an extension") }
    defer { ASN1_OCTET_STRING_free(content) }
    ASN1_OCTET_STRING_set(content, der, Int32(der.count))
    guard let made = X509_EXTENSION_create_by_OBJ(nil, object, isCritical ? 1 : 0, content) else {
      throw CertificateError("make an extension")
    }
    X509_add_ext(certificate, made, -1)
    X509_EXTENSION_free(made)
  }
}

/// The error for a test certificate, key or TLS context that cannot be created.
public struct CertificateError: Error, Sendable, CustomStringConvertible {
  /// The failed operation.
  public let operation: String
  /// OpenSSL's own reason; may be empty.
  public let reason: String

  /// Creates an error from the oldest one in OpenSSL's queue, and clears the queue.
  package init(_ operation: String) {
    self.operation = operation
    var buffer = [CChar](repeating: 0, count: 256)
    let code = ERR_get_error()
    ERR_error_string_n(code, &buffer, buffer.count)
    reason = code == 0 ? "" : String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    ERR_clear_error()
  }

  /// A sentence with OpenSSL's reason.
  public var description: String { "Could not \(operation)\(reason.isEmpty ? "" : ": \(reason)")." }
}

/// Returns the DER bytes that one of OpenSSL's `i2d` functions writes.
package func derBytes(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8]? {
  var pointer: UnsafeMutablePointer<UInt8>?
  let count = write(&pointer)
  guard count > 0, let pointer else { return nil }
  defer { CRYPTO_free(pointer, "", 0) }
  return [UInt8](UnsafeBufferPointer(start: pointer, count: Int(count)))
}

/// Reads DER bytes with one of OpenSSL's `d2i` functions.
package func withDER<Result>(
  _ bytes: [UInt8], _ read: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> Result?
) -> Result? {
  bytes.withUnsafeBufferPointer { buffer in
    var pointer = buffer.baseAddress
    return read(&pointer, buffer.count)
  }
}

extension CertificateError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
