import CurlewCore
import HTTPTypes

/// The cookies of a jar and the rules for them, without I/O.
///
/// The rules are those of RFC 6265 §5.3–4 and RFC 6265bis §5.7–8.
struct CookieStore {
  /// A cookie with sequence numbers, which order cookies of the same second.
  struct Entry {
    var cookie: Cookie
    var created: UInt64
    var used: UInt64
  }

  private(set) var count = 0
  /// A number that increases with every change.
  private(set) var revision: UInt64 = 0
  private var ticks: UInt64 = 0
  private var byDomain: [String: [Entry]] = [:]
  private let limits: CookieLimits

  init(_ limits: CookieLimits) { self.limits = limits }

  /// All cookies, oldest first.
  var all: [Cookie] {
    byDomain.values.joined().sorted { $0.created < $1.created }.map(\.cookie)
  }

  /// Stores a cookie of a response.
  ///
  /// A cookie from http must not replace or shadow one that only https may set.
  mutating func store(_ incoming: IncomingCookie) {
    guard incoming.isFromSecure || !isOverSecure(incoming.cookie) else { return }
    put(incoming.cookie, at: incoming.date)
  }

  /// Adds a cookie, or replaces one with the same name, domain and path.
  mutating func put(_ cookie: Cookie, at now: HTTPDate) {
    ticks += 1
    revision += 1
    var created = ticks
    var entries = byDomain[cookie.domain] ?? []
    if let old = entries.firstIndex(where: { $0.cookie.isSameEntry(as: cookie) }) {
      created = entries[old].created
      entries.remove(at: old)
      count -= 1
    }
    if !cookie.isExpired(at: now) {
      entries.append(Entry(cookie: cookie, created: created, used: ticks))
      count += 1
    }
    byDomain[cookie.domain] = entries.isEmpty ? nil : entries
    if entries.count > limits.perDomain { evict(from: cookie.domain, at: now) }
    if count > limits.total { evictAnywhere(at: now) }
  }

  /// Returns the cookies for a request, in the order of RFC 6265 §5.4.
  ///
  /// Longer paths come first, then older cookies.
  ///
  /// - Parameter isCrossSite: Whether a redirect by another site may have led to the request.
  mutating func cookies(for context: CookieContext, isCrossSite: Bool) -> [Cookie] {
    guard count > 0, let origin = try? context.origin else { return [] }
    let domains = CookieMatching.domains(of: origin) { byDomain[$0] != nil }
    guard !domains.isEmpty else { return [] }
    let now = HTTPDate(context.date)
    var found: [Entry] = []
    var path: String?
    for domain in domains {
      guard var entries = byDomain[domain] else { continue }
      let before = entries.count
      entries.removeAll { $0.cookie.isExpired(at: now) }
      note(entries, for: domain, insteadOf: before)
      let requestPath = path ?? context.path
      path = requestPath
      for place in entries.indices {
        let cookie = entries[place].cookie
        guard domain == origin.host || !cookie.isHostOnly, !cookie.isSecure || origin.scheme == .https,
          CookieMatching.path(requestPath, matches: cookie.path),
          !isCrossSite || cookie.goesAcrossSites(with: context.method)
        else { continue }
        ticks += 1
        byDomain[domain]?[place].used = ticks
        found.append(entries[place])
      }
    }
    return found.sorted { left, right in
      let (leftLength, rightLength) = (left.cookie.path.utf8.count, right.cookie.path.utf8.count)
      return leftLength == rightLength ? left.created < right.created : leftLength > rightLength
    }.map(\.cookie)
  }

  /// Removes the cookies that a condition selects.
  mutating func remove(where accepts: (Cookie) -> Bool) {
    for (domain, entries) in byDomain {
      let kept = entries.filter { !accepts($0.cookie) }
      note(kept, for: domain, insteadOf: entries.count)
    }
  }

  private mutating func note(_ entries: [Entry], for domain: String, insteadOf before: Int) {
    guard entries.count != before else { return }
    count += entries.count - before
    revision += 1
    byDomain[domain] = entries.isEmpty ? nil : entries
  }

  /// Returns whether a cookie from http would shadow a secure one.
  ///
  /// RFC 6265bis §5.7 step 16 forbids that.
  private func isOverSecure(_ cookie: Cookie) -> Bool {
    for (domain, entries) in byDomain
    where CookieMatching.isBelow(domain, cookie.domain) || CookieMatching.isBelow(cookie.domain, domain) {
      if entries.contains(where: { entry in
        entry.cookie.isSecure && entry.cookie.name == cookie.name
          && CookieMatching.path(cookie.path, matches: entry.cookie.path)
      }) {
        return true
      }
    }
    return false
  }

  /// Removes cookies beyond the limits (RFC 6265bis §5.7).
  ///
  /// Expired ones go first, then insecure ones, then the least recently used.
  private mutating func evict(from domain: String, at now: HTTPDate) {
    guard var entries = byDomain[domain] else { return }
    let before = entries.count
    entries.removeAll { $0.cookie.isExpired(at: now) }
    while entries.count > max(limits.perDomain, 0),
      let least = entries.indices.min(by: { left, right in
        let (left, right) = (entries[left], entries[right])
        return left.cookie.isSecure == right.cookie.isSecure ? left.used < right.used : !left.cookie.isSecure
      })
    {
      entries.remove(at: least)
    }
    note(entries, for: domain, insteadOf: before)
  }

  private mutating func evictAnywhere(at now: HTTPDate) {
    remove { $0.isExpired(at: now) }
    while count > max(limits.total, 0), let least = byDomain.values.joined().min(by: { $0.used < $1.used }) {
      guard var entries = byDomain[least.cookie.domain] else { return }
      entries.removeAll { $0.created == least.created }
      note(entries, for: least.cookie.domain, insteadOf: entries.count + 1)
    }
  }
}

extension Cookie {
  /// Returns whether one replaces the other.
  fileprivate func isSameEntry(as other: Cookie) -> Bool {
    name == other.name && domain == other.domain && isHostOnly == other.isHostOnly && path == other.path
  }

  /// Returns whether it is sent with a request that another site caused.
  ///
  /// Without `SameSite` it counts as `lax` (RFC 6265bis §5.8.3).
  fileprivate func goesAcrossSites(with method: HTTPRequest.Method) -> Bool {
    switch sameSite {
    case .some(.none): true
    case .strict: false
    case .lax, nil: [.get, .head, .options, .trace].contains(method)
    }
  }
}

/// Matches hosts and paths with those of cookies (RFC 6265 §5.1.3–4).
enum CookieMatching {
  /// Returns whether a request's host is a domain or a subdomain of it.
  ///
  /// An address has no parent domain.
  static func host(_ origin: Origin, matches domain: String) -> Bool {
    origin.host == domain || !origin.isIPAddress && isBelow(origin.host, domain)
  }

  /// Returns whether a name equals another one or is a subdomain of it.
  static func isBelow(_ name: String, _ domain: String) -> Bool {
    name == domain || name.utf8.count > domain.utf8.count && name.hasSuffix("." + domain)
  }

  /// Returns the domains with cookies for a host, the host itself first.
  static func domains(of origin: Origin, where has: (String) -> Bool) -> [String] {
    var domains: [String] = []
    if has(origin.host) { domains.append(origin.host) }
    guard !origin.isIPAddress else { return domains }
    var rest = origin.host[...]
    while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
      rest = rest[rest.utf8.index(after: dot)...]
      let domain = String(rest)
      if !domain.isEmpty, has(domain) { domains.append(domain) }
    }
    return domains
  }

  /// Returns whether a cookie's path is a request's path or a parent of it.
  static func path(_ path: String, matches cookiePath: String) -> Bool {
    guard path.utf8.count > cookiePath.utf8.count else { return path == cookiePath }
    guard path.utf8.starts(with: cookiePath.utf8) else { return false }
    return cookiePath.utf8.last == UInt8(ascii: "/")
      || path.utf8.dropFirst(cookiePath.utf8.count).first == UInt8(ascii: "/")
  }

  /// Returns the default path of a cookie: the request's, up to its last slash.
  static func defaultPath(_ path: String) -> String {
    guard path.utf8.first == UInt8(ascii: "/"), let last = path.utf8.lastIndex(of: UInt8(ascii: "/")),
      last > path.startIndex
    else { return "/" }
    return String(path[..<last])
  }
}

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
    if set.path == nil, cookie.hasNamePrefix("__host-") { return nil }
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
