public import CurlewCore
import CurlewDigests
import FoundationEssentials

/// Trusts one certificate for one host, and looks at neither chain, names nor dates.
///
/// It is what a person's yes to a certificate means: `ServerTrustAsking` sends a request again under it. Every other
/// certificate, every other host and plain `http` are refused, so a server that takes the place of the first one gets
/// nothing. Its connections are shared with no other evaluator.
public struct ExactCertificateTrust: ServerTrustEvaluating {
  /// The server certificate that is trusted.
  public let certificate: Certificate
  /// The host it is trusted for, canonical: lower case, IPv6 without brackets, no trailing dot.
  public let host: String
  /// The least TLS version; nil is TLS 1.2.
  public let leastTLSVersion: HandshakeRequirements.TLSVersion?
  /// A SHA-256 of certificate, host and TLS version.
  public let connectionKey: ConnectionKey

  /// Trusts a certificate for a host.
  ///
  /// - Parameters:
  ///   - certificate: The server's own certificate, the first that it shows.
  ///   - host: The host of the URL.
  ///   - leastTLSVersion: The least TLS version; nil is TLS 1.2.
  /// - Throws: `SecurityError` of kind `malformedHost` for an invalid host, of kind `unavailable` without SHA-256.
  public init(
    _ certificate: Certificate, host: String, leastTLSVersion: HandshakeRequirements.TLSVersion? = nil
  ) throws(SecurityError) {
    guard let name = PolicyHost.of(written: host) else {
      throw SecurityError(.malformedHost, "The host that a certificate is trusted for is invalid.")
    }
    self.certificate = certificate
    self.host = name.host
    self.leastTLSVersion = leastTLSVersion
    let text = "\(name.host) \(leastTLSVersion?.rawValue ?? 0)"
    guard let digest = try? Digest.of(certificate.der + Data(text.utf8), .sha256), digest.count == 32 else {
      throw SecurityError(.unavailable, "This system's OpenSSL offers no SHA-256.")
    }
    connectionKey = ConnectionKey("exact-" + digest.hexadecimal)
  }

  /// The least TLS version, and no plain `http`, which shows no certificate.
  public var requirements: HandshakeRequirements {
    HandshakeRequirements(leastVersion: leastTLSVersion, refusesPlainHTTP: true)
  }

  /// Returns when the server's certificate and the host are the trusted ones; certificates are compared byte by byte.
  ///
  /// - Throws: `ServerTrustError` with reason `hostMismatch` or `pinMismatch`.
  public func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {
    guard PolicyHost.of(canonical: trust.host) == host else {
      throw ServerTrustError(.hostMismatch, certificate: 0, message: "The certificate is trusted for \(host) only.")
    }
    guard trust.certificates.first == certificate.der else {
      throw ServerTrustError(
        .pinMismatch, certificate: 0, message: "The server's certificate is not the one that is trusted.")
    }
  }
}
