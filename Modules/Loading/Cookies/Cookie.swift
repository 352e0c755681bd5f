public import CurlewCore

/// One cookie, as a jar keeps it (RFC 6265 §5.3).
public struct Cookie: Sendable, Hashable {
  /// Whether a cookie is sent with requests that another site caused.
  public enum SameSite: String, Sendable, Hashable, CaseIterable {
    /// The cookie is never sent with such requests.
    case strict
    /// The cookie is sent only with such requests of a safe method.
    case lax
    /// The cookie is sent with all such requests.
    case none
  }

  /// The name, never empty.
  public var name: String
  /// The value, including any quotes.
  public var value: String
  /// The host it is for, in the form of `Origin.host`, without a leading dot.
  public var domain: String
  /// Whether it is only for that host, and not for its subdomains.
  public var isHostOnly: Bool
  /// The path it is for, with a leading slash.
  public var path: String
  /// When it expires; nil means at the end of the session.
  public var expires: HTTPDate?
  /// Whether it is only sent over https.
  public var isSecure: Bool
  /// Whether a page's scripts may not see it.
  ///
  /// A client has no scripts, and keeps the flag for files that it writes.
  public var isHTTPOnly: Bool
  /// The `SameSite` attribute; nil, when the server sent none, counts as `lax`.
  public var sameSite: SameSite?

  /// Creates a cookie.
  ///
  /// By default it is for one host and all its paths, also over http, until the session ends.
  public init(
    name: String, value: String, domain: String, isHostOnly: Bool = true, path: String = "/",
    expires: HTTPDate? = nil, isSecure: Bool = false, isHTTPOnly: Bool = false, sameSite: SameSite? = nil
  ) {
    self.name = name
    self.value = value
    self.domain = domain
    self.isHostOnly = isHostOnly
    self.path = path
    self.expires = expires
    self.isSecure = isSecure
    self.isHTTPOnly = isHTTPOnly
    self.sameSite = sameSite
  }

  /// The text of the cookie in a `Cookie` field.
  public var pair: String { name + "=" + value }
}

extension Cookie: CustomStringConvertible, CustomReflectable {
  /// The attributes without the value.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "name": name, "domain": domain, "isHostOnly": isHostOnly, "path": path, "expires": expires as Any,
        "isSecure": isSecure, "isHTTPOnly": isHTTPOnly, "sameSite": sameSite as Any,
      ])
  }

  /// The name, domain and path, without the value.
  public var description: String { "cookie \(name) for \(domain)\(path)" }
}

extension Cookie {
  /// The most bytes of the name and the value together (RFC 6265bis §5.6).
  static let sizeLimit = 4096
  /// The most bytes of an attribute's value (RFC 6265bis §5.6).
  static let attributeLimit = 1024

  /// Whether a jar may store it (RFC 6265bis §5.7, §4.1.3).
  ///
  /// Its sizes and characters must be allowed, and it must fulfil the promises of its name's prefix.
  var isValid: Bool {
    guard !name.isEmpty, name.utf8.count + value.utf8.count <= Self.sizeLimit,
      path.utf8.first == UInt8(ascii: "/"),
      !SetCookie.hasControls(name), !SetCookie.hasControls(value), !SetCookie.hasControls(path)
    else { return false }
    if sameSite == SameSite.none, !isSecure { return false }
    if hasNamePrefix("__host-") { return isSecure && isHostOnly && path == "/" }
    return isSecure || !hasNamePrefix("__secure-")
  }

  /// Returns whether its name begins with a prefix in lower case, by bytes: a mark behind it would change its last character.
  func hasNamePrefix(_ prefix: String) -> Bool { name.lowercased().utf8.starts(with: prefix.utf8) }

  /// Returns whether it has expired.
  func isExpired(at date: HTTPDate) -> Bool { expires.map { $0 <= date } ?? false }
}
