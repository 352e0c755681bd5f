import COpenSSL

/// A certificate with its private key and what is shown with it.
///
/// When it is an authority, it issues others.
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
  /// The key that belongs to it, unless a test says otherwise.
  package var key: TestKey
  /// The issuers below the root, nearest first: what a server shows after its own certificate. May be changed, to show
  /// too few, too many or the wrong order.
  package var intermediates: [TestCertificate]
  /// The certificate that the chain ends in, its own when it is self-signed.
  public var root: TestCertificate

  /// Puts parts together as they are, fitting or not.
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
  /// - Throws: `CertificateError` when OpenSSL cannot make what the profile asks for.
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
  /// - Throws: `CertificateError` when OpenSSL cannot make what the profile asks for.
  public static func authority(_ profile: CertificateProfile = .authority()) throws(CertificateError) -> TestIdentity {
    try selfSigned(profile)
  }

  /// Signs a certificate with this one's key, whether or not this one may.
  ///
  /// - Parameters:
  ///   - profile: What it says.
  ///   - key: Its key; nil for a new one of the profile's kind.
  /// - Throws: `CertificateError` when OpenSSL cannot make what the profile asks for.
  public func issue(
    _ profile: CertificateProfile = .server, key: TestKey? = nil
  ) throws(CertificateError) -> TestIdentity {
    let key = if let key { key } else { try TestKey(profile.key) }
    let issued = try CertificateIssuing(profile: profile, issuer: self).issue(for: key)
    let isRoot = certificate == root
    return TestIdentity(
      certificate: issued, key: key, intermediates: isRoot ? [] : [certificate] + intermediates, root: root)
  }

  /// What a server shows: its certificate and the intermediates.
  public var chain: [TestCertificate] { [certificate] + intermediates }

  /// The shown chain as PEM, leaf first, as nginx wants it.
  package var chainPEM: String { chain.map(\.pem).joined() }

  /// Certificate, key and intermediates as PKCS#12.
  ///
  /// - Throws: `CertificateError` when OpenSSL refuses, as for a key that is not the certificate's.
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
