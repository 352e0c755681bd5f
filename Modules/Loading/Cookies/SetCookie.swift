import CurlewCore

/// Reads a `Set-Cookie` value as browsers do (RFC 6265bis §5.6).
///
/// It accepts what servers actually send, not only what they are allowed to send. Where the client has a choice, one
/// follows RFC 6265 (§5.2 steps 2 and 5): a text without a name is not a cookie. RFC 6265bis would keep it and send
/// only its value, which a server cannot distinguish from another cookie's name (§8.6 there warns of this).
struct SetCookie {
  /// The name, never empty.
  private(set) var name = ""
  /// The value, including any quotes.
  private(set) var value = ""
  /// The lifetime in seconds; nil without a valid `Max-Age`.
  private(set) var maxAge: Int64?
  /// The expiry; nil without a valid `Expires`.
  private(set) var expires: HTTPDate?
  /// The last `Domain` with a value, in lower case without a leading dot; empty without one.
  private(set) var domain = ""
  /// The last `Path` with a leading slash; nil means the default path.
  private(set) var path: String?
  private(set) var isSecure = false
  private(set) var isHTTPOnly = false
  private(set) var sameSite: Cookie.SameSite?

  /// Reads a field value; nil when it is not a cookie.
  init?(_ text: String) {
    guard !Self.hasControls(text) else { return nil }
    var parts = text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map(Substring.init)
    guard let pair = parts.first.map(Self.halves) else { return nil }
    name = String(pair.name)
    value = String(pair.value)
    guard !name.isEmpty, pair.hasValue, name.utf8.count + value.utf8.count <= Cookie.sizeLimit else { return nil }
    parts.removeFirst()
    for part in parts {
      let attribute = Self.halves(part)
      guard attribute.value.utf8.count <= Cookie.attributeLimit else { continue }
      take(attribute.name.lowercased(), attribute.value)
    }
  }

  private mutating func take(_ name: String, _ value: Substring) {
    switch name {
    case "expires": if let date = HTTPDate(cookieDate: String(value)) { expires = date }
    case "max-age": if let seconds = Self.seconds(value) { maxAge = seconds }
    // An empty one counts as none (RFC 6265 §5.2.3), so that it takes nothing away from the one before it.
    case "domain" where value.isEmpty: break
    case "domain": domain = (value.utf8.first == UInt8(ascii: ".") ? value.dropFirst() : value).lowercased()
    case "path": path = value.utf8.first == UInt8(ascii: "/") ? String(value) : nil
    case "secure": isSecure = true
    case "httponly": isHTTPOnly = true
    case "samesite": sameSite = Cookie.SameSite(rawValue: value.lowercased())
    default: break
    }
  }

  /// Returns when the cookie expires (RFC 6265bis §5.7 step 6).
  ///
  /// `Max-Age` takes precedence over `Expires`; neither may exceed 400 days.
  func end(at now: HTTPDate) -> HTTPDate? {
    let latest = HTTPDate(secondsSince1970: now.secondsSince1970 + Self.longestLife)
    if let maxAge {
      guard maxAge > 0 else { return .earliest }
      return min(latest, HTTPDate(secondsSince1970: now.secondsSince1970 + min(maxAge, Self.longestLife)))
    }
    return expires.map { min(latest, $0) }
  }

  private static let longestLife: Int64 = 400 * 86_400

  /// Returns a number of seconds with any number of digits; nil if it is not one.
  private static func seconds(_ text: Substring) -> Int64? {
    let isNegative = text.utf8.first == UInt8(ascii: "-")
    let digits = isNegative ? text.dropFirst() : text
    guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
    return isNegative ? 0 : Int64(digits) ?? .max
  }

  /// Returns the name and the value around the first `=`, without white space.
  private static func halves(_ text: Substring) -> (name: Substring, value: Substring, hasValue: Bool) {
    guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return (trimmed(text), "", false) }
    return (trimmed(text[..<equals]), trimmed(text[text.utf8.index(after: equals)...]), true)
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var utf8 = text.utf8
    while let first = utf8.first, first == 0x20 || first == 0x09 { utf8.removeFirst() }
    while let last = utf8.last, last == 0x20 || last == 0x09 { utf8.removeLast() }
    return Substring(utf8)
  }

  /// Returns whether a text has a control character other than a tab.
  static func hasControls(_ text: String) -> Bool {
    text.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }
  }
}
