public import CurlewCore
public import FoundationEssentials

/// Trusts one certificate chain, byte for byte, and no other.
public struct ExactTrustEvaluator: ServerTrustEvaluating {
  private let certificates: [Data]

  /// Trusts this chain.
  ///
  /// - Parameter certificates: DER, leaf first.
  public init(_ certificates: [Data]) { self.certificates = certificates }

  /// The chain itself.
  public var connectionKey: ConnectionKey {
    ConnectionKey("exact:" + certificates.map { $0.base64EncodedString() }.joined(separator: ","))
  }

  /// Compares.
  public func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {
    guard trust.certificates == certificates else {
      throw ServerTrustError(.untrusted, message: "The server shows another chain than the test's.")
    }
  }
}
