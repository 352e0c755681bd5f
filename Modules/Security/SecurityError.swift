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
  /// A sentence that says what to do, without secrets; nil if nothing is known.
  public var advice: String?

  /// Creates an error.
  ///
  /// - Parameter advice: A sentence that says what to do; nil for that of the kind, if there is one.
  public init(_ kind: Kind, _ message: String, advice: String? = nil) {
    self.kind = kind
    self.message = message
    self.advice = advice ?? kind.advice
  }

  /// The message and the advice.
  public var description: String { advice.map { "\(message) \($0)" } ?? message }
}

extension SecurityError.Kind {
  fileprivate var advice: String? {
    switch self {
    case .plainHTTP: "Use an https base URL."
    case .malformedCertificate: "Give certificates in PEM, or one in DER."
    case .rejectedCertificate: "Remove the certificate or its trust settings."
    case .malformedPin:
      "Write `sha256/` and the Base64 of the SHA-256 of a public key, as `curlew trust HOST` prints it."
    case .malformedRevocationList: "Give lists in PEM, or one in DER."
    case .unreadableKey: "Check the password, and that the file is whole and has a private key."
    case .keyMismatch: "Give the key that the certificate was made for."
    case .malformedHost: "Write a host such as `api.example.com`, or `*.example.com` for the hosts below it."
    case .unreadableFile: "Check the path, and who may read it."
    default: nil
    }
  }
}

extension SecurityError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
  /// The advice, which the description contains.
  public var recoverySuggestion: String? { advice }
}
