/// A proxy that forwards requests.
public struct Proxy: Sendable, Hashable, CustomStringConvertible {
  /// The protocol of the proxy.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// HTTP; `https` requests go through `CONNECT` (RFC 9110 §9.3.6).
    case http
    /// SOCKS 5 (RFC 1928); the proxy looks up names.
    case socks5
  }

  /// The protocol of the proxy.
  public var kind: Kind
  /// The proxy's host.
  public var host: String
  /// The proxy's port, 1 to 65535.
  public var port: Int
  /// The user name and password; nil when the proxy needs none.
  ///
  /// A transport sends them to a SOCKS proxy that asks (RFC 1929). For an HTTP proxy, an authenticating interceptor
  /// answers the challenge with them, as for a server; a transport never sends them to one by itself.
  public var credential: Credential?
  /// The value of `Proxy-Authorization` for requests to an HTTP proxy.
  ///
  /// Nil sends none.
  ///
  /// It is also sent with `CONNECT`.
  ///
  /// Interceptors set it to answer a challenge. An app sets it if the proxy is to get credentials without asking. The
  /// server never receives it.
  public var authorization: String?

  /// Creates a proxy.
  public init(_ kind: Kind = .http, host: String, port: Int, credential: Credential? = nil) {
    self.kind = kind
    self.host = host
    self.port = port
    self.credential = credential
  }

  /// The address without the credential.
  public var description: String { "\(kind.rawValue)://\(host):\(port)" }
}
