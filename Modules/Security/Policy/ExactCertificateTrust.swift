public import CurlewCore
import CurlewDigests
import FoundationEssentials

/// Trusts one certificate for one host, whatever else is said of it.
///
/// An evaluator must not wait, so a decision that takes time is made outside the handshake: refuse, ask, send again with
/// exactly what was shown. The error of the refusal has all of it:
/// ```swift
/// guard let trust = error.details.trust?.trust, let leaf = trust.certificates.first else { throw error }
/// let exact = try ExactCertificateTrust(Certificate(der: leaf), host: trust.host)
/// try await loader.load(request, in: exchange.derived(attempt: 2) { $0.serverTrust = exact })
/// ```
/// Should another server come in between, its certificate is another and it is refused. Chain, names and dates are not
/// looked at; any other certificate or host is refused, plain `http` too. Its connections are its own. The whole is
/// `Snippets/AskAboutCertificate.swift`.
public struct ExactCertificateTrust: ServerTrustEvaluating {
  /// The leaf that is trusted.
  public let certificate: Certificate
  /// The canonical host it is trusted for: lower case, IPv6 without brackets, no dot at the end.
  public let host: String
  /// A SHA-256 of certificate and host.
  public let connectionKey: ConnectionKey

  /// Trusts a certificate for a host.
  ///
  /// - Throws: `SecurityError` of kind `malformedHost` when the host is none, of kind `unavailable` without SHA-256.
  public init(_ certificate: Certificate, host: String) throws(SecurityError) {
    guard let name = PolicyHost.of(written: host) else {
      throw SecurityError(.malformedHost, "The host to trust a certificate for is no host.")
    }
    self.certificate = certificate
    self.host = name.host
    guard let digest = try? Digest.of(certificate.der + Data(name.host.utf8), .sha256), digest.count == 32 else {
      throw SecurityError(.unavailable, "This system's OpenSSL offers no SHA-256.")
    }
    connectionKey = ConnectionKey("exact-" + digest.hexadecimal)
  }

  /// Plain `http` shows no certificate, so it is refused.
  public var requirements: HandshakeRequirements { HandshakeRequirements(refusesPlainHTTP: true) }

  /// Returns when the leaf is the certificate, byte for byte, and the host is the host.
  ///
  /// - Throws: `ServerTrustError` with reason `hostMismatch` or `pinMismatch`.
  public func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {
    guard PolicyHost.of(canonical: trust.host) == host else {
      throw ServerTrustError(.hostMismatch, certificate: 0, message: "The certificate is trusted for \(host) alone.")
    }
    guard trust.certificates.first == certificate.der else {
      throw ServerTrustError(
        .pinMismatch, certificate: 0, message: "The server showed another certificate than the one that is trusted.")
    }
  }
}
