/// The TLS settings of a scripted origin.
public struct OriginTLS: Sendable {
  /// The versions of TLS.
  public enum Version: Int32, Sendable, Hashable, Comparable {
    /// TLS 1.0, which clients refuse today.
    case tls10 = 0x0301
    /// TLS 1.1, which clients refuse today.
    case tls11 = 0x0302
    /// TLS 1.2 (RFC 5246).
    case tls12 = 0x0303
    /// TLS 1.3 (RFC 8446).
    case tls13 = 0x0304

    /// Returns whether the left version is older.
    public static func < (left: Version, right: Version) -> Bool { left.rawValue < right.rawValue }
  }

  /// Whether clients are asked for a certificate.
  public enum ClientCertificates: Sendable, Hashable {
    /// Clients are not asked.
    case ignored
    /// Clients are asked, and may send any certificate or none.
    case optional
    /// The handshake fails without a certificate; any one is accepted.
    case required
    /// The handshake fails without a certificate that leads to one of these roots.
    case issued(by: [TestCertificate])
  }

  /// What happens in a connection's handshake.
  public enum Handshake: Sendable, Hashable {
    /// The handshake is not delayed.
    case prompt
    /// The client's first message stays unread for this time.
    case delayed(Duration)
    /// The origin's messages are limited to this many bytes per second.
    case slow(bytesPerSecond: Int)
    /// The connection is closed after this many bytes of the origin's messages.
    case cut(afterBytes: Int)
    /// The client's first message is never read.
    case stalled
  }

  /// The certificate, its key and its chain.
  public var identity: TestIdentity
  /// The lowest and the highest version.
  public var versions: ClosedRange<Version> = .tls12 ... .tls13
  /// The protocols for ALPN, in order of preference.
  ///
  /// Without a common protocol there is no ALPN.
  package var applicationProtocols = ["http/1.1"]
  /// Whether clients are asked for a certificate.
  public var clientCertificates = ClientCertificates.ignored
  /// The OCSP response to staple, in DER; nil for none.
  ///
  /// It is sent to clients that ask for it, and is not checked.
  package var stapledResponse: [UInt8]?
  /// Whether sessions may be resumed.
  package var resumesSessions = true
  /// How many bytes of early data clients may send in TLS 1.3; such sessions are resumed once.
  package var earlyData: UInt32 = 0
  /// What happens in the handshake, unless a connection's behaviour says otherwise.
  public var handshake = Handshake.prompt

  /// Creates settings for TLS 1.2 and 1.3 with an identity.
  public init(_ identity: TestIdentity) {
    self.identity = identity
  }

  /// Returns these settings, changed by a closure.
  public func with(_ change: (inout OriginTLS) -> Void) -> OriginTLS {
    var copy = self
    change(&copy)
    return copy
  }
}
