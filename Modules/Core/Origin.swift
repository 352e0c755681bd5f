public import FoundationEssentials

/// Who is asked: scheme, host and port in one canonical form.
///
/// Every question of "is this the same host" (connection sharing, credentials, cookies, redirects, pins) is answered by
/// comparing two origins (RFC 6454 §4, RFC 9110 §4.3.1). A URL that has no origin is refused before anything is sent.
public struct Origin: Sendable, Hashable, CustomStringConvertible {
  /// The two schemes Curlew speaks.
  public enum Scheme: String, Sendable, Hashable, CaseIterable {
    /// HTTP in the clear.
    case http
    /// HTTP over TLS.
    case https

    /// The port that a URL without one means: 80 or 443.
    public var defaultPort: Int { self == .http ? 80 : 443 }
  }

  /// `http` or `https`.
  public let scheme: Scheme
  /// The canonical host: lower-case A-labels, dotted-quad IPv4, or RFC 5952 IPv6 without brackets; never empty.
  public let host: String
  /// The port, 1…65535.
  public let port: Int
  /// Whether the host is a literal IP address.
  public let isIPAddress: Bool
  /// The hash of host and port, since an origin is looked up several times for each request.
  private let hash: Int

  /// Makes an origin from parts.
  ///
  /// - Throws: `InvalidOriginError` when the host cannot be made canonical or the port is out of range.
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
      throw InvalidOriginError(reason: .host, detail: String(describing: error))
    }
    self.scheme = scheme
    self.port = port
    var hasher = Hasher()
    hasher.combine(self.host)
    hasher.combine(port)
    hash = hasher.finalize()
  }

  /// Reads the origin of a URL.
  ///
  /// User information is refused: `http://user:secret@host/` is deprecated by RFC 9110 §4.2.4 and is how hosts are forged.
  ///
  /// - Throws: `InvalidOriginError` saying which part is missing or wrong.
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

  /// Equal origins have equal hosts and ports, which is enough to tell them apart quickly.
  public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

  /// The host as it stands in a URL or a `Host` field: IPv6 in brackets, no port.
  public var urlHost: String { isIPAddress && Self.hasColon(host) ? "[" + host + "]" : host }

  private static func hasColon(_ host: String) -> Bool {
    let bytes = host.utf8Span.span
    for place in bytes.indices where bytes[place] == UInt8(ascii: ":") { return true }
    return false
  }

  /// The host, and the port where it is not the scheme's own: what a `Host` field carries.
  public var authority: String { port == scheme.defaultPort ? urlHost : urlHost + ":" + String(port) }

  /// The ASCII serialisation of RFC 6454 §6.2.
  public var description: String { scheme.rawValue + "://" + authority }
}

/// Why a URL has no origin.
public struct InvalidOriginError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The part at fault.
  public enum Reason: String, Sendable, Hashable {
    /// No scheme, or neither `http` nor `https`.
    case scheme
    /// No host, or one that has no canonical form.
    case host
    /// Not in 1…65535.
    case port
    /// The URL carries a user name or password.
    case userInformation
  }

  /// The part at fault.
  public let reason: Reason
  /// What was found there; never user information.
  public let detail: String

  init(reason: Reason, detail: String) {
    self.reason = reason
    self.detail = detail
  }

  /// What it is, in words without secrets.
  public var description: String {
    switch reason {
    case .scheme: "The URL's scheme (\(detail)) is neither http nor https."
    case .host: "The URL's host is not usable: \(detail)."
    case .port: "The URL's port \(detail) is not in 1…65535."
    case .userInformation: "The URL carries a user name or password; give credentials by themselves."
    }
  }
}
