public import FoundationEssentials

/// Decides whether a server's certificate chain is trusted.
///
/// It is called synchronously during the TLS handshake, on the transport's thread: no byte of the request is sent before it
/// returns, and none at all if it throws. It must not block. For a decision that takes time, refuse the server and send the
/// request again (`ExactCertificateTrust` in CurlewSecurity). It is called once for each new connection. If the connection
/// resumes a TLS session, it gets the chain of the session's first handshake, in which the server proved to have the key. If it
/// refuses that chain, the session is not resumed, and it is called again with the chain that the server then presents.
public protocol ServerTrustEvaluating: Sendable {
  /// A digest of all settings; requests with different keys share no connection.
  var connectionKey: ConnectionKey { get }
  /// What the handshake must require.
  var requirements: HandshakeRequirements { get }
  /// Returns normally if the chain is trusted.
  ///
  /// - Throws: `ServerTrustError` if it is not; the connection is then closed.
  func evaluate(_ trust: ServerTrust) throws(ServerTrustError)
}

extension ServerTrustEvaluating {
  /// Returns no requirements.
  public var requirements: HandshakeRequirements { HandshakeRequirements() }
}

/// The certificates that a server presented in its handshake.
public struct ServerTrust: Sendable, Hashable {
  /// The canonical host of the URL, which the certificate must match.
  public var host: String
  /// The port of the URL.
  public var port: Int
  /// The presented certificates in DER, leaf first; may be empty.
  public var certificates: [Data]
  /// The stapled OCSP response as unverified DER.
  ///
  /// Nil when none was required or none arrived (RFC 6066 §8).
  public var ocspResponse: Data?
  /// The date for which validity is checked.
  public var date: Date

  /// Creates a server trust.
  public init(host: String, port: Int, certificates: [Data], ocspResponse: Data? = nil, date: Date) {
    self.host = host
    self.port = port
    self.certificates = certificates
    self.ocspResponse = ocspResponse
    self.date = date
  }
}

/// The reason why a certificate chain was rejected.
public struct ServerTrustError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The rule that failed; later versions may add more.
  public struct Reason: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The value that identifies the reason.
    public var rawValue: String
    /// Creates a reason from its value.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The value.
    public var description: String { rawValue }

    /// The server presented no certificate, or an unreadable one.
    public static let malformed = Reason(rawValue: "malformed")
    /// The chain does not end in a trusted anchor.
    public static let untrusted = Reason(rawValue: "untrusted")
    /// A certificate has expired.
    public static let expired = Reason(rawValue: "expired")
    /// A certificate is not valid yet.
    public static let notYetValid = Reason(rawValue: "not-yet-valid")
    /// The leaf certificate is not for this host (RFC 9525).
    public static let hostMismatch = Reason(rawValue: "host-mismatch")
    /// A certificate was revoked.
    public static let revoked = Reason(rawValue: "revoked")
    /// The required revocation status is unknown.
    ///
    /// The source is missing, out of date or not signed by an authorized key.
    public static let revocationUnknown = Reason(rawValue: "revocation-unknown")
    /// No pin matched.
    public static let pinMismatch = Reason(rawValue: "pin-mismatch")
    /// A key or signature is too weak.
    public static let weak = Reason(rawValue: "weak")
    /// A certificate is used for a purpose it is not for, or violates a constraint.
    public static let constraint = Reason(rawValue: "constraint")
    /// The evaluator's own rule failed.
    public static let policy = Reason(rawValue: "policy")
  }

  /// The rule that failed.
  public var reason: Reason
  /// The index of the faulty certificate, where 0 is the leaf; nil for the chain.
  public var certificate: Int?
  /// A sentence that says what failed.
  public var message: String
  /// A sentence that says what to do; nil if nothing is known, or if the reason says it.
  public var advice: String?
  /// The server's certificates; set by the transport.
  public var trust: ServerTrust?

  /// Creates an error.
  public init(_ reason: Reason, certificate: Int? = nil, message: String, advice: String? = nil) {
    self.reason = reason
    self.certificate = certificate
    self.message = message
    self.advice = advice
  }

  /// The message and the advice, without secrets.
  public var description: String { advice.map { "\(message) \($0)" } ?? message }
}

/// A digest of all trust settings; equal keys may share connections.
///
/// The whole text is compared, so any length is allowed; a transport hashes it if its library needs a shorter key.
public struct ConnectionKey: Sendable, Hashable, CustomStringConvertible {
  /// The digest, or any text that differs for different settings.
  public let text: String

  /// Creates a key.
  public init(_ text: String) { self.text = text }

  /// The text, which contains no secrets.
  public var description: String { text }
}

/// Requirements for a handshake, before it starts.
public struct HandshakeRequirements: Sendable, Hashable {
  /// The TLS versions.
  public enum TLSVersion: Int, Sendable, Hashable, Comparable {
    /// RFC 5246.
    case tls12 = 2
    /// RFC 8446.
    case tls13 = 3
    /// Returns whether the left version is older.
    public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
  }

  /// The lowest version; nil means TLS 1.2.
  public var leastVersion: TLSVersion?
  /// Whether a stapled OCSP response is requested and required.
  public var requiresStapledOCSP = false
  /// Whether plain `http` is rejected.
  public var refusesPlainHTTP = false

  /// Creates requirements; by default there are none.
  public init(leastVersion: TLSVersion? = nil, requiresStapledOCSP: Bool = false, refusesPlainHTTP: Bool = false) {
    self.leastVersion = leastVersion
    self.requiresStapledOCSP = requiresStapledOCSP
    self.refusesPlainHTTP = refusesPlainHTTP
  }
}

extension ServerTrustError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
  /// The advice, which the description contains.
  public var recoverySuggestion: String? { advice }
}
