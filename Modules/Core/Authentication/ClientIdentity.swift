public import FoundationEssentials

/// A certificate and its private key, presented to servers that ask for one.
public struct ClientIdentity: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// The certificate, followed by its intermediates, as PEM.
  public var certificateChain: Data
  /// The private key as unencrypted PEM.
  public var privateKey: Data

  /// Creates an identity from PEM text, which is checked on first use.
  public init(certificateChain: Data, privateKey: Data) {
    self.certificateChain = certificateChain
    self.privateKey = privateKey
  }

  /// The size of the certificates; nothing about the key.
  public var description: String { "ClientIdentity(\(certificateChain.count) bytes of certificates)" }

  /// The certificates only, so that a dump does not show the key.
  public var customMirror: Mirror { Mirror(self, children: ["certificateChain": certificateChain]) }
}
