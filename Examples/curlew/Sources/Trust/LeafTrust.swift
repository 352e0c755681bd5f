import CurlewCore
import CurlewDigests
import CurlewSecurity
import FoundationEssentials

/// Trusts servers whose own certificate is one of a list.
///
/// It compares the bytes, for `--insecure --pin-certificate`.
struct LeafTrust: ServerTrustEvaluating {
  let connectionKey: ConnectionKey
  let requirements = HandshakeRequirements(refusesPlainHTTP: true)
  private let certificates: Set<Data>

  /// - Throws: `SecurityError` when there is no SHA-256.
  init(_ certificates: [Certificate]) throws(SecurityError) {
    self.certificates = Set(certificates.map(\.der))
    let all = self.certificates.sorted { $0.lexicographicallyPrecedes($1) }.reduce(Data(), +)
    guard let digest = try? Digest.of(all, .sha256) else {
      throw SecurityError(.unavailable, "This system's OpenSSL offers no SHA-256.")
    }
    connectionKey = ConnectionKey("leaf-" + digest.hexadecimal)
  }

  func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {
    guard let leaf = trust.certificates.first, certificates.contains(leaf) else {
      throw ServerTrustError(
        .pinMismatch, certificate: 0, message: "The server's certificate is not one of the pinned certificates.")
    }
  }
}
