public import FoundationEssentials

/// Decides whether a server's certificate chain is trusted.
///
/// Synchronous, on the transport's thread, inside the TLS handshake: no request byte is sent before it returned, and
/// none at all when it throws. It must not wait for anything: a decision that takes time is made outside, by refusing and
/// sending again (`ExactCertificateTrust` in CurlewSecurity). Called once for each new connection, never for a resumed
/// TLS session (a transport that evaluates trust resumes none).
public protocol ServerTrustEvaluating: Sendable {
  /// Two requests share a connection only when these are equal: a digest of every setting.
  var connectionKey: ConnectionKey { get }
  /// What the handshake must be told beforehand.
  var requirements: HandshakeRequirements { get }
  /// Returns when the chain is trusted.
  ///
  /// - Throws: `ServerTrustError` when it is not; the connection is closed.
  func evaluate(_ trust: ServerTrust) throws(ServerTrustError)
}

extension ServerTrustEvaluating {
  /// Requires nothing.
  public var requirements: HandshakeRequirements { HandshakeRequirements() }
}

/// What a server showed in its handshake.
public struct ServerTrust: Sendable, Hashable {
  /// The canonical host of the URL, the name that must match.
  public var host: String
  /// The port of the URL.
  public var port: Int
  /// The certificates as presented, DER, leaf first; empty when the server showed none.
  public var certificates: [Data]
  /// The stapled OCSP response, DER, as it came: nobody has looked at it. Nil when none was required, or none came
  /// (RFC 6066 §8).
  public var ocspResponse: Data?
  /// The time to judge validity at.
  public var date: Date

  /// Makes what a server showed.
  public init(host: String, port: Int, certificates: [Data], ocspResponse: Data? = nil, date: Date) {
    self.host = host
    self.port = port
    self.certificates = certificates
    self.ocspResponse = ocspResponse
    self.date = date
  }
}

/// Why a certificate chain was refused.
public struct ServerTrustError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The rule that failed. More may come.
  public struct Reason: RawRepresentable, Sendable, Hashable {
    /// The value that stands for it.
    public var rawValue: String
    /// Makes one of the value that stands for it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The server showed no certificate, or one that cannot be read.
    public static let malformed = Reason(rawValue: "malformed")
    /// The chain does not end in a trusted anchor.
    public static let untrusted = Reason(rawValue: "untrusted")
    /// A certificate has expired.
    public static let expired = Reason(rawValue: "expired")
    /// A certificate is not valid yet.
    public static let notYetValid = Reason(rawValue: "not-yet-valid")
    /// The leaf is not for this host (RFC 9525).
    public static let hostMismatch = Reason(rawValue: "host-mismatch")
    /// A certificate was revoked.
    public static let revoked = Reason(rawValue: "revoked")
    /// Whether a certificate was revoked cannot be told, and must be: what says so is missing, out of date or not signed
    /// by who may.
    public static let revocationUnknown = Reason(rawValue: "revocation-unknown")
    /// No pin matched.
    public static let pinMismatch = Reason(rawValue: "pin-mismatch")
    /// A key or signature is too weak.
    public static let weak = Reason(rawValue: "weak")
    /// A certificate is used for what it is not meant for, or breaks a constraint.
    public static let constraint = Reason(rawValue: "constraint")
    /// The evaluator's own rule.
    public static let policy = Reason(rawValue: "policy")
  }

  /// The rule that failed.
  public var reason: Reason
  /// Position of the certificate at fault in the chain, 0 is the leaf; nil when it is the chain as a whole.
  public var certificate: Int?
  /// One sentence.
  public var message: String
  /// What the server showed; filled in by the transport.
  public var trust: ServerTrust?

  /// Makes an error.
  public init(_ reason: Reason, certificate: Int? = nil, message: String) {
    self.reason = reason
    self.certificate = certificate
    self.message = message
  }

  /// What it is, in words without secrets.
  public var description: String { message }
}

/// Says which requests may share a connection: a digest of every setting that trust depends on.
///
/// Compared whole, so text of any length will do; a transport hashes it where its library has room for less.
public struct ConnectionKey: Sendable, Hashable, CustomStringConvertible {
  /// The digest, or any text that is different for different settings.
  public let text: String

  /// Makes a key.
  public init(_ text: String) { self.text = text }

  /// What it is, in words without secrets.
  public var description: String { text }
}

/// What a handshake must be told before it begins.
public struct HandshakeRequirements: Sendable, Hashable {
  /// TLS versions.
  public enum TLSVersion: Int, Sendable, Hashable, Comparable {
    /// RFC 5246.
    case tls12 = 2
    /// RFC 8446.
    case tls13 = 3
    /// Whether the left one comes before the right one.
    public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
  }

  /// The least version; nil is TLS 1.2.
  public var leastVersion: TLSVersion?
  /// Whether a stapled OCSP response is asked for and must come.
  public var requiresStapledOCSP = false
  /// Whether plain `http` is refused.
  public var refusesPlainHTTP = false

  /// Requires nothing.
  public init(leastVersion: TLSVersion? = nil, requiresStapledOCSP: Bool = false, refusesPlainHTTP: Bool = false) {
    self.leastVersion = leastVersion
    self.requiresStapledOCSP = requiresStapledOCSP
    self.refusesPlainHTTP = refusesPlainHTTP
  }
}
