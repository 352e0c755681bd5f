/// A policy, certificate, pin or identity that cannot be used as it is.
///
/// Thrown when such a thing is made, never in a handshake: there it is `ServerTrustError`.
public struct SecurityError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong. More may come.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The value that stands for it.
    public var rawValue: String
    /// Makes one of the value that stands for it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The settings together would check less than they seem to.
    public static let unsafeCombination = Kind(rawValue: "unsafe-combination")
    /// Pins were asked for where no TLS is spoken.
    public static let plainHTTP = Kind(rawValue: "plain-http")
    /// The bytes are no certificate.
    public static let malformedCertificate = Kind(rawValue: "malformed-certificate")
    /// The text is no pin.
    public static let malformedPin = Kind(rawValue: "malformed-pin")
    /// The bytes are no certificate revocation list.
    public static let malformedRevocationList = Kind(rawValue: "malformed-revocation-list")
    /// The bytes are no private key or PKCS#12 file, or the password does not open it.
    public static let unreadableKey = Kind(rawValue: "unreadable-key")
    /// The private key is not the certificate's.
    public static let keyMismatch = Kind(rawValue: "key-mismatch")
    /// The text is no host, nor a wildcard of one.
    public static let malformedHost = Kind(rawValue: "malformed-host")
    /// A file cannot be read, or is longer than a limit.
    public static let unreadableFile = Kind(rawValue: "unreadable-file")
    /// OpenSSL has no memory, or lacks an algorithm.
    public static let unavailable = Kind(rawValue: "unavailable")
  }

  /// What is wrong.
  public var kind: Kind
  /// One sentence, without secrets.
  public var message: String

  /// Makes an error.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// The sentence.
  public var description: String { message }
}
