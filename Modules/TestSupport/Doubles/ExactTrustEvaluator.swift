package import CurlewCore
package import FoundationEssentials

/// Trusts exactly one certificate chain, byte for byte.
package struct ExactTrustEvaluator: ServerTrustEvaluating {
  private let certificates: [Data]

  /// Creates an evaluator that trusts a chain.
  ///
  /// - Parameter certificates: The certificates as DER, leaf first.
  package init(_ certificates: [Data]) { self.certificates = certificates }

  /// A key derived from the chain.
  package var connectionKey: ConnectionKey {
    ConnectionKey("exact:" + certificates.map { $0.base64EncodedString() }.joined(separator: ","))
  }

  /// Compares the server's chain with the trusted one.
  package func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {
    guard trust.certificates == certificates else {
      throw ServerTrustError(
        .untrusted, message: "The server presents a different certificate chain than the trusted one.")
    }
  }
}
