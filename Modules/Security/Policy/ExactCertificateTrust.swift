public import CurlewCore
import CurlewDigests
import FoundationEssentials

/// Trusts one certificate for one host, and ignores its chain, names and dates.
///
/// `ServerTrustAsking` uses it to send a request again after a person accepted a certificate. It refuses every other
/// certificate, every other host and plain `http`, so a server that takes the place of the accepted one receives nothing. No
/// other evaluator shares its connections.
public struct ExactCertificateTrust: ServerTrustEvaluating {
  /// The server certificate that is trusted.
  public let certificate: Certificate
  /// The host in canonical form: lower case, no IPv6 brackets, no trailing dot.
  public let host: String
  /// The lowest TLS version; nil means TLS 1.2.
  public let leastTLSVersion: HandshakeRequirements.TLSVersion?
  /// The SHA-256 of certificate, host and TLS version.
  public let connectionKey: ConnectionKey

  /// Trusts a certificate for a host.
  ///
  /// - Parameters:
  ///   - certificate: The server's own certificate, the first that it shows.
  ///   - host: The host of the URL.
  ///   - leastTLSVersion: The lowest TLS version; nil means TLS 1.2.
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

  /// The lowest TLS version, and no plain `http`, which shows no certificate.
  public var requirements: HandshakeRequirements {
    HandshakeRequirements(leastVersion: leastTLSVersion, refusesPlainHTTP: true)
  }

  /// Returns when the server and the host are the trusted ones.
  ///
  /// The server's certificate is compared with the trusted one byte by byte.
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
