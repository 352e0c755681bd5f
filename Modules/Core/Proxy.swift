/// A proxy that carries requests.
public struct Proxy: Sendable, Hashable, CustomStringConvertible {
  /// How the proxy is spoken to.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// HTTP; `https` requests go through `CONNECT` (RFC 9110 §9.3.6).
    case http
    /// SOCKS 5 (RFC 1928); the proxy looks up names.
    case socks5
  }

  /// How the proxy is spoken to.
  public var kind: Kind
  /// The proxy's host.
  public var host: String
  /// The proxy's port, 1…65535.
  public var port: Int
  /// User name and password, Basic for HTTP, RFC 1929 for SOCKS; nil is none.
  public var credential: Credential?

  /// Makes a proxy.
  public init(_ kind: Kind = .http, host: String, port: Int, credential: Credential? = nil) {
    self.kind = kind
    self.host = host
    self.port = port
    self.credential = credential
  }

  /// Without the credential.
  public var description: String { "\(kind.rawValue)://\(host):\(port)" }
}
