import COpenSSL

/// A certificate with its private key and its chain.
///
/// An authority can issue other certificates.
///
/// ```swift
/// let root = try TestIdentity.authority()
/// let middle = try root.issue(.authority("Middle", pathLength: 0))
/// let server = try middle.issue(.server)          // presented with Middle, verified up to root
/// let origin = try await ScriptedOrigin.start(tls: OriginTLS(server)) { _ in .ok("hello") }
/// ```
public struct TestIdentity: Sendable {
  /// The certificate.
  public var certificate: TestCertificate
  /// The private key, which a test may replace with another one.
  package var key: TestKey
  /// The issuers below the root, nearest first.
  ///
  /// A server shows them after its own certificate. A test may change them to show too few, too many or the wrong order.
  package var intermediates: [TestCertificate]
  /// The root of the chain; the certificate itself if it is self-signed.
  public var root: TestCertificate

  /// Combines parts without checking that they match.
  package init(
    certificate: TestCertificate, key: TestKey, intermediates: [TestCertificate] = [], root: TestCertificate
  ) {
    self.certificate = certificate
    self.key = key
    self.intermediates = intermediates
    self.root = root
  }

  /// Returns a self-signed certificate.
  ///
  /// - Throws: `CertificateError` when OpenSSL cannot create the certificate.
  public static func selfSigned(
    _ profile: CertificateProfile = .server, key: TestKey? = nil
  ) throws(CertificateError)
    -> TestIdentity
  {
    let key = if let key { key } else { try TestKey(profile.key) }
    let certificate = try CertificateIssuing(profile: profile, issuer: nil).issue(for: key)
    return TestIdentity(certificate: certificate, key: key, root: certificate)
  }

  /// Returns a root authority.
  ///
  /// - Throws: `CertificateError` when OpenSSL cannot create the certificate.
  public static func authority(_ profile: CertificateProfile = .authority()) throws(CertificateError) -> TestIdentity {
    try selfSigned(profile)
  }

  /// Issues a certificate, whether or not this one is an authority.
  ///
  /// - Parameters:
  ///   - profile: The contents of the certificate.
  ///   - key: Its key; nil for a new one of the profile's kind.
  /// - Throws: `CertificateError` when OpenSSL cannot create the certificate.
  public func issue(
    _ profile: CertificateProfile = .server, key: TestKey? = nil
  ) throws(CertificateError) -> TestIdentity {
    let key = if let key { key } else { try TestKey(profile.key) }
    let issued = try CertificateIssuing(profile: profile, issuer: self).issue(for: key)
    let isRoot = certificate == root
    return TestIdentity(
      certificate: issued, key: key, intermediates: isRoot ? [] : [certificate] + intermediates, root: root)
  }

  /// The certificates that a server shows: its own and the intermediates.
  public var chain: [TestCertificate] { [certificate] + intermediates }

  /// The chain as PEM, leaf first, as nginx requires it.
  package var chainPEM: String { chain.map(\.pem).joined() }

  /// Returns certificate, key and intermediates as PKCS#12.
  ///
  /// - Throws: `CertificateError` when OpenSSL refuses, for example for a key that does not match the certificate.
  public func pkcs12(password: String) throws(CertificateError) -> [UInt8] {
    let stack = curlew_certificates()
    defer { curlew_certificates_free(stack) }
    for issuer in intermediates {
      guard let issuer = withDER(issuer.der, { d2i_X509(nil, $0, $1) }) else {
        throw CertificateError("read an intermediate certificate")
      }
      curlew_certificates_push(stack, issuer)
    }
    let bytes = try? key.withKey { key in
      certificate.withCertificate { certificate -> [UInt8]? in
        guard let made = PKCS12_create(password, "curlew", key, certificate, stack, 0, 0, 0, 0, 0) else { return nil }
        defer { PKCS12_free(made) }
        return derBytes { i2d_PKCS12(made, $0) }
      }
    }
    guard let bytes = (bytes ?? nil) ?? nil else { throw CertificateError("make a PKCS#12 file") }
    return bytes
  }
}
