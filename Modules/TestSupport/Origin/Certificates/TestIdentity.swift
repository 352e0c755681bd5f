import COpenSSL
import FoundationEssentials
import Glibc

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

extension TestIdentity {
  /// The paths of an identity's PEM files.
  public struct Files: Sendable, Hashable {
    /// The folder of the files, created for them; remove it with `remove()`.
    public let folder: String
    /// The chain that is shown, leaf first.
    public var chain: String { folder + "/chain.pem" }
    /// The key, which only its owner can read.
    public var key: String { folder + "/key.pem" }
    /// The root certificate, for a client's `--cacert`.
    public var root: String { folder + "/root.pem" }

    /// Removes the files and the folder.
    public func remove() {
      for file in [chain, key, root] { unlink(file) }
      rmdir(folder)
    }
  }

  /// Writes chain, key and root into a new temporary folder, for other programs.
  ///
  /// - Throws: `OriginError` when folder or files cannot be written.
  public func writeFiles() throws(OriginError) -> Files {
    var template = [UInt8]("/tmp/curlew-identity-XXXXXX\0".utf8).map { CChar(bitPattern: $0) }
    guard mkdtemp(&template) != nil else { throw OriginError(errno: errno, in: "make a folder") }
    let files = Files(folder: String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
    for (path, text) in [(files.chain, chainPEM), (files.key, key.pem), (files.root, root.pem)] {
      try Self.write(text, to: path)
    }
    return files
  }

  private static func write(_ text: String, to path: String) throws(OriginError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw OriginError(errno: errno, in: "create \(path)") }
    defer { close(descriptor) }
    let bytes = [UInt8](text.utf8)
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw OriginError(errno: errno, in: "write \(path)") }
      done += count
    }
  }
}
