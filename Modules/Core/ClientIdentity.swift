public import FoundationEssentials

/// A certificate and its private key, presented to servers that ask for one.
public struct ClientIdentity: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// The certificate, followed by its intermediates, PEM.
  public var certificateChain: Data
  /// The private key, PEM, not encrypted.
  public var privateKey: Data

  /// Makes an identity of PEM text; it is checked when it is first used.
  public init(certificateChain: Data, privateKey: Data) {
    self.certificateChain = certificateChain
    self.privateKey = privateKey
  }

  /// Says nothing of the key.
  public var description: String { "ClientIdentity(\(certificateChain.count) bytes of certificates)" }

  /// The certificates alone, so that a dump shows no key either.
  public var customMirror: Mirror { Mirror(self, children: ["certificateChain": certificateChain]) }
}
