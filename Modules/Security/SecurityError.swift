public import FoundationEssentials

/// The error for a policy, certificate, pin or identity that cannot be used.
///
/// Thrown when such a value is created. Errors of a handshake are `ServerTrustError` instead.
public struct SecurityError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of error; more may be added.
  public struct Kind: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The name of the kind.
    public var rawValue: String
    /// Creates a kind from its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The value.
    public var description: String { rawValue }

    /// The combination of settings checks less than it seems to.
    public static let unsafeCombination = Kind(rawValue: "unsafe-combination")
    /// Pins are set for a base URL without TLS.
    public static let plainHTTP = Kind(rawValue: "plain-http")
    /// The bytes are not a certificate.
    public static let malformedCertificate = Kind(rawValue: "malformed-certificate")
    /// The certificate's own trust settings exclude TLS servers.
    public static let rejectedCertificate = Kind(rawValue: "rejected-certificate")
    /// The text is not a pin.
    public static let malformedPin = Kind(rawValue: "malformed-pin")
    /// The bytes are not a certificate revocation list.
    public static let malformedRevocationList = Kind(rawValue: "malformed-revocation-list")
    /// The bytes are not a private key or a PKCS#12 file, or the password is wrong.
    public static let unreadableKey = Kind(rawValue: "unreadable-key")
    /// The private key does not belong to the certificate.
    public static let keyMismatch = Kind(rawValue: "key-mismatch")
    /// The text is neither a host nor a wildcard.
    public static let malformedHost = Kind(rawValue: "malformed-host")
    /// A file cannot be read, or is longer than the limit.
    public static let unreadableFile = Kind(rawValue: "unreadable-file")
    /// OpenSSL has no memory, lacks an algorithm, or rejects a trust anchor.
    public static let unavailable = Kind(rawValue: "unavailable")
  }

  /// The kind of error.
  public var kind: Kind
  /// A sentence about the error, without secrets.
  public var message: String

  /// Creates an error.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// The message.
  public var description: String { message }
}

extension SecurityError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
