import CurlewCore

/// A cookie in a response, after all checks that need no jar (RFC 6265bis §5.7).
struct IncomingCookie {
  let cookie: Cookie
  /// Whether it came over https.
  let isFromSecure: Bool
  /// When it came.
  let date: HTTPDate

  /// Reads a `Set-Cookie` value; nil when the cookie is rejected.
  init?(_ text: String, from context: CookieContext, _ suffixes: any PublicSuffixes) {
    guard let set = SetCookie(text), let origin = try? context.origin,
      let domain = Self.domain(of: set, for: origin, suffixes)
    else { return nil }
    isFromSecure = origin.scheme == .https
    date = HTTPDate(context.date)
    cookie = Cookie(
      name: set.name, value: set.value, domain: domain.name, isHostOnly: domain.isHostOnly,
      path: set.path ?? CookieMatching.defaultPath(context.path), expires: set.end(at: date),
      isSecure: set.isSecure, isHTTPOnly: set.isHTTPOnly, sameSite: set.sameSite)
    guard cookie.isValid, isFromSecure || !cookie.isSecure else { return nil }
    // The prefix requires the attribute itself, not a default with the same result.
    if set.path == nil, cookie.name.lowercased().hasPrefix("__host-") { return nil }
  }

  /// Returns the domain of a cookie (RFC 6265bis §5.7 steps 8–10).
  ///
  /// Nil when the host may not set cookies for it.
  private static func domain(
    of set: SetCookie, for origin: Origin, _ suffixes: any PublicSuffixes
  ) -> (name: String, isHostOnly: Bool)? {
    guard !set.domain.isEmpty else { return (origin.host, true) }
    guard set.domain.utf8.allSatisfy({ $0 < 0x80 }), CookieMatching.host(origin, matches: set.domain) else {
      return nil
    }
    guard !origin.isIPAddress, suffixes.isPublicSuffix(set.domain) else { return (set.domain, false) }
    return set.domain == origin.host ? (origin.host, true) : nil
  }
}
