/// How a scripted origin speaks TLS.
public struct OriginTLS: Sendable {
  /// Versions of TLS.
  public enum Version: Int32, Sendable, Hashable, Comparable {
    /// TLS 1.0, which clients refuse today.
    case tls10 = 0x0301
    /// TLS 1.1, which clients refuse today.
    case tls11 = 0x0302
    /// TLS 1.2 (RFC 5246).
    case tls12 = 0x0303
    /// TLS 1.3 (RFC 8446).
    case tls13 = 0x0304

    /// Older versions are smaller.
    public static func < (left: Version, right: Version) -> Bool { left.rawValue < right.rawValue }
  }

  /// Whether a client is asked for a certificate.
  public enum ClientCertificates: Sendable, Hashable {
    /// Not asked.
    case ignored
    /// Asked; any or none will do. See `OriginRequest.tls`.
    case optional
    /// The handshake fails without one; any will do.
    case required
    /// The handshake fails without one that leads to one of these roots.
    case issued(by: [TestCertificate])
  }

  /// What happens in a connection's handshake.
  public enum Handshake: Sendable, Hashable {
    /// It is done at once.
    case prompt
    /// The client's first message is left unread this long.
    case delayed(Duration)
    /// The origin's messages go at so many bytes a second.
    case slow(bytesPerSecond: Int)
    /// The connection is closed after so many bytes of the origin's messages.
    case cut(afterBytes: Int)
    /// The client's first message is never read.
    case stalled
  }

  /// The certificate, its key and what is shown with it.
  public var identity: TestIdentity
  /// The least and the highest version offered.
  public var versions: ClosedRange<Version> = .tls12 ... .tls13
  /// The protocols chosen from by ALPN, best first.
  ///
  /// None of them in common means no ALPN.
  package var applicationProtocols = ["http/1.1"]
  /// Whether clients are asked for a certificate.
  public var clientCertificates = ClientCertificates.ignored
  /// The OCSP response stapled for clients that ask for one, DER.
  ///
  /// Nil for none. The bytes are not checked.
  package var stapledResponse: [UInt8]?
  /// Whether sessions may be resumed.
  package var resumesSessions = true
  /// What happens in the handshake, unless a connection's behaviour says otherwise.
  public var handshake = Handshake.prompt

  /// TLS 1.2 and 1.3 with an identity.
  public init(_ identity: TestIdentity) {
    self.identity = identity
  }

  /// These settings, changed by a closure.
  public func with(_ change: (inout OriginTLS) -> Void) -> OriginTLS {
    var copy = self
    change(&copy)
    return copy
  }
}
