public import CurlewCore

/// One cookie, as a jar keeps it (RFC 6265 §5.3).
public struct Cookie: Sendable, Hashable {
  /// How far a cookie goes with requests that come from another site.
  public enum SameSite: String, Sendable, Hashable, CaseIterable {
    /// Never with them.
    case strict
    /// With those of a safe method.
    case lax
    /// With all.
    case none
  }

  /// The name, never empty.
  public var name: String
  /// The value, with its quotes where it has any.
  public var value: String
  /// The host it is for, canonical as in `Origin.host`, no dot in front.
  public var domain: String
  /// Whether it is for that host alone, and not for those below it.
  public var isHostOnly: Bool
  /// The path it is for, with a slash in front.
  public var path: String
  /// When it ends; nil is with the session.
  public var expires: HTTPDate?
  /// Whether it goes over https alone.
  public var isSecure: Bool
  /// Whether scripts of a page may not see it; a client has none, and keeps it for files that it writes.
  public var isHTTPOnly: Bool
  /// What the server said of other sites; nil where it said nothing, which is taken for `lax`.
  public var sameSite: SameSite?

  /// Makes a cookie; unset, it is for one host and all its paths, in the clear too, until the session ends.
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

  /// The cookie as a `Cookie` field carries it.
  public var pair: String { name + "=" + value }
}

extension Cookie: CustomStringConvertible {
  /// The name and where it is for; never the value.
  public var description: String { "cookie \(name) for \(domain)\(path)" }
}

extension Cookie {
  /// The most bytes of name and value together (RFC 6265bis §5.6).
  static let sizeLimit = 4096
  /// The most bytes of an attribute's value (RFC 6265bis §5.6).
  static let attributeLimit = 1024

  /// Whether a jar may have it: sizes, characters, and what its name promises (RFC 6265bis §5.7, §4.1.3).
  var isValid: Bool {
    guard !name.isEmpty, name.utf8.count + value.utf8.count <= Self.sizeLimit,
      path.utf8.first == UInt8(ascii: "/"),
      !SetCookie.hasControls(name), !SetCookie.hasControls(value), !SetCookie.hasControls(path)
    else { return false }
    if sameSite == SameSite.none, !isSecure { return false }
    let prefix = name.prefix(9).lowercased()
    if prefix.hasPrefix("__host-") { return isSecure && isHostOnly && path == "/" }
    if prefix.hasPrefix("__secure-") { return isSecure }
    return true
  }

  /// Whether it is over.
  func isExpired(at date: HTTPDate) -> Bool { expires.map { $0 <= date } ?? false }
}
