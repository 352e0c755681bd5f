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
  /// The user name and password; nil if the proxy needs none.
  ///
  /// A transport sends them to a SOCKS proxy that asks for them (RFC 1929). For an HTTP proxy, an authenticating interceptor
  /// answers the challenge with them, as for a server; the transport itself never sends them to an HTTP proxy. A tunnel, or a
  /// connection through a SOCKS proxy, serves only requests with the credential and the authorization that opened it.
  public var credential: Credential?
  /// The value of `Proxy-Authorization` for an HTTP proxy; nil sends none.
  ///
  /// It is sent with requests to the proxy and with `CONNECT`. Interceptors set it to answer a challenge; an app sets it to
  /// send credentials to the proxy without being asked. The server never receives it.
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
