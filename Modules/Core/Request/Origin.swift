public import FoundationEssentials

/// The scheme, host and port of a server in canonical form.
///
/// Every comparison of hosts (for sharing connections, credentials, cookies, redirects, pins) compares two origins (RFC
/// 6454 §4, RFC 9110 §4.3.1). A URL without an origin is rejected before anything is sent.
public struct Origin: Sendable, Hashable, CustomStringConvertible {
  /// The supported schemes.
  public enum Scheme: String, Sendable, Hashable, CaseIterable {
    /// HTTP in the clear.
    case http
    /// HTTP over TLS.
    case https

    /// The default port: 80 or 443.
    public var defaultPort: Int { self == .http ? 80 : 443 }
  }

  /// `http` or `https`.
  public let scheme: Scheme
  /// The canonical host, never empty.
  ///
  /// Lower-case A-labels, dotted-quad IPv4, or RFC 5952 IPv6 without brackets.
  public let host: String
  /// The port, 1 to 65535.
  public let port: Int
  /// Whether the host is a literal IP address.
  public let isIPAddress: Bool
  /// The hash of host and port, which is needed several times for each request.
  private let hash: Int

  /// Creates an origin from parts.
  ///
  /// - Throws: `InvalidOriginError` when the host has no canonical form or the port is out of range.
  public init(scheme: Scheme, host: String, port: Int? = nil) throws(InvalidOriginError) {
    let port = port ?? scheme.defaultPort
    guard (1...65535).contains(port) else { throw InvalidOriginError(reason: .port, detail: String(port)) }
    do throws(HostNameError) {
      // RFC 3986 writes IPv6 in brackets; an origin's host has none.
      let isBare = host.utf8.first != UInt8(ascii: "[") && Self.hasColon(host)
      let name = try HostName(isBare ? "[" + host + "]" : host)
      self.host = name.kind == .ipv6Address ? name.text.filter { $0 != "[" && $0 != "]" } : name.text
      isIPAddress = name.kind != .name
    } catch {
      throw InvalidOriginError(reason: .host, detail: error.reason)
    }
    self.scheme = scheme
    self.port = port
    var hasher = Hasher()
    hasher.combine(self.host)
    hasher.combine(port)
    hash = hasher.finalize()
  }

  /// Creates the origin of a URL.
  ///
  /// User information is rejected: RFC 9110 §4.2.4 deprecates `http://user:secret@host/`, which is used to forge hosts.
  ///
  /// - Throws: `InvalidOriginError`, which says which part is missing or wrong.
  public init(_ url: URL) throws(InvalidOriginError) {
    guard let schemeText = url.scheme else { throw InvalidOriginError(reason: .scheme, detail: "none") }
    guard let scheme = Scheme(rawValue: schemeText) ?? Scheme(rawValue: schemeText.lowercased()) else {
      throw InvalidOriginError(reason: .scheme, detail: schemeText)
    }
    guard url.user(percentEncoded: true) == nil, url.password(percentEncoded: true) == nil else {
      throw InvalidOriginError(reason: .userInformation, detail: "")
    }
    guard let host = url.host(percentEncoded: true), !host.isEmpty else {
      throw InvalidOriginError(reason: .host, detail: "empty")
    }
    try self.init(scheme: scheme, host: host, port: url.port)
  }

  /// Hashes the host and port, which almost always distinguish origins.
  public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

  /// The host as in a URL or a `Host` field: IPv6 in brackets, no port.
  public var urlHost: String { isIPAddress && Self.hasColon(host) ? "[" + host + "]" : host }

  private static func hasColon(_ host: String) -> Bool {
    let bytes = host.utf8Span.span
    for place in bytes.indices where bytes[place] == UInt8(ascii: ":") { return true }
    return false
  }

  /// The host, and the port unless it is the default, as in a `Host` field.
  public var authority: String { port == scheme.defaultPort ? urlHost : urlHost + ":" + String(port) }

  /// The ASCII serialisation of RFC 6454 §6.2.
  public var description: String { scheme.rawValue + "://" + authority }
}

/// The reason why a URL has no origin.
public struct InvalidOriginError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The faulty part.
  public enum Reason: String, Sendable, Hashable {
    /// The scheme is missing, or neither `http` nor `https`.
    case scheme
    /// The host is missing, or has no canonical form.
    case host
    /// The port is not in 1…65535.
    case port
    /// The URL contains a user name or password.
    case userInformation
  }

  /// The part at fault.
  public let reason: Reason
  /// What was found there; never user information.
  public let detail: String

  /// A sentence that says what is wrong, without secrets.
  public var message: String {
    switch reason {
    case .scheme where detail == "none": "The URL has no scheme."
    case .scheme: "The URL's scheme (\(detail)) is not supported."
    case .host: "The URL's host is invalid: \(detail)."
    case .port: "The URL's port \(detail) is not in 1…65535."
    case .userInformation: "The URL contains a user name or password."
    }
  }

  /// A sentence that says what to do; nil if nothing is known.
  public var advice: String? {
    switch reason {
    case .scheme where detail == "none": "Begin it with https:// or http://."
    case .scheme: Self.advice(onScheme: detail)
    case .userInformation: "Give them to the session instead: `configuration.authenticate(user:password:)`."
    case .host: "Check how the host is written."
    case .port: nil
    }
  }

  /// What to write in the place of a scheme that is not HTTP's.
  package static func advice(onScheme scheme: String) -> String {
    "Use http or https"
      + (["ws", "wss"].contains(scheme.lowercased())
        ? "; a WebSocket opens with `session.webSocket` (CurlewWebSocket)." : ".")
  }

  /// The message and the advice, without secrets.
  public var description: String { advice.map { "\(message) \($0)" } ?? message }
}

extension InvalidOriginError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
  /// The advice, which the description contains.
  public var recoverySuggestion: String? { advice }
}
