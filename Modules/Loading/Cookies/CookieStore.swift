import CurlewCore
import HTTPTypes

/// The cookies of a jar and the rules by which they come and go (RFC 6265 §5.3–4, RFC 6265bis §5.7–8); pure.
struct CookieStore {
  /// A cookie with its place in time, counted, not measured: two of one second keep their order.
  struct Entry {
    var cookie: Cookie
    var created: UInt64
    var used: UInt64
  }

  private(set) var count = 0
  /// Goes up with every change.
  private(set) var revision: UInt64 = 0
  private var ticks: UInt64 = 0
  private var byDomain: [String: [Entry]] = [:]
  private let limits: CookieLimits
  private let suffixes: any PublicSuffixes

  init(_ limits: CookieLimits, _ suffixes: any PublicSuffixes) {
    self.limits = limits
    self.suffixes = suffixes
  }

  /// All of them, oldest first.
  var all: [Cookie] {
    byDomain.values.joined().sorted { $0.created < $1.created }.map(\.cookie)
  }

  /// Stores what a response sets; false when it is refused.
  @discardableResult
  mutating func store(_ text: String, from context: CookieContext) -> Bool {
    guard let set = SetCookie(text), let origin = try? Origin(context.url) else { return false }
    let now = HTTPDate(context.date)
    guard let domain = domain(of: set, for: origin) else { return false }
    let cookie = Cookie(
      name: set.name, value: set.value, domain: domain.name, isHostOnly: domain.isHostOnly,
      path: set.path ?? CookieMatching.defaultPath(context.path), expires: set.end(at: now),
      isSecure: set.isSecure, isHTTPOnly: set.isHTTPOnly, sameSite: set.sameSite)
    guard cookie.isValid else { return false }
    // The prefix asks for the attribute itself, and not for a default that comes out the same.
    if cookie.name.lowercased().hasPrefix("__host-"), set.path == nil { return false }
    guard origin.scheme == .https || !cookie.isSecure && !isOverSecure(cookie) else { return false }
    put(cookie, at: now)
    return true
  }

  /// Puts a cookie in, in the place of one of the same name, domain and path.
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

  /// The cookies for a request: longer paths first, then older ones (RFC 6265 §5.4).
  mutating func cookies(for context: CookieContext) -> [Cookie] {
    guard count > 0, let origin = try? Origin(context.url) else { return [] }
    let now = HTTPDate(context.date)
    var found: [Entry] = []
    var path: String?
    for domain in CookieMatching.domains(of: origin) {
      guard var entries = byDomain[domain] else { continue }
      let before = entries.count
      entries.removeAll { $0.cookie.isExpired(at: now) }
      note(entries, for: domain, insteadOf: before)
      let requestPath = path ?? context.path
      path = requestPath
      for place in entries.indices {
        let cookie = entries[place].cookie
        guard domain == origin.host || !cookie.isHostOnly, !cookie.isSecure || origin.scheme == .https,
          CookieMatching.path(requestPath, matches: cookie.path), mayGo(cookie, context, origin)
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

  /// Takes out what a condition accepts.
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

  /// For whom a cookie is; nil when it is for others than who set it (RFC 6265bis §5.7 steps 8–10).
  private func domain(of set: SetCookie, for origin: Origin) -> (name: String, isHostOnly: Bool)? {
    guard !set.domain.isEmpty else { return (origin.host, true) }
    guard set.domain.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    guard CookieMatching.host(origin, matches: set.domain) else { return nil }
    guard !origin.isIPAddress, suffixes.isPublicSuffix(set.domain) else { return (set.domain, false) }
    return set.domain == origin.host ? (origin.host, true) : nil
  }

  /// Whether a cookie from http would stand before one that only https may set (RFC 6265bis §5.7 step 16).
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

  /// Whether a cookie goes with a request that redirects of another site may have led to.
  private func mayGo(_ cookie: Cookie, _ context: CookieContext, _ origin: Origin) -> Bool {
    guard cookie.sameSite != Cookie.SameSite.none, !context.redirectedFrom.isEmpty else { return true }
    guard context.redirectedFrom.contains(where: { !isSameSite($0, origin) }) else { return true }
    guard cookie.sameSite != .strict else { return false }
    switch context.method {
    case .get, .head, .options, .trace: return true
    default: return false
    }
  }

  /// Whether two hosts belong to one registrable domain.
  private func isSameSite(_ left: Origin, _ right: Origin) -> Bool {
    guard left.host != right.host else { return true }
    guard !left.isIPAddress, !right.isIPAddress, let site = suffixes.registrableDomain(of: left.host) else {
      return false
    }
    return site == suffixes.registrableDomain(of: right.host)
  }

  /// What is over goes first, then what is in the clear, then what was not used for longest (RFC 6265bis §5.7).
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
  /// Whether one takes the other's place.
  fileprivate func isSameEntry(as other: Cookie) -> Bool {
    name == other.name && domain == other.domain && isHostOnly == other.isHostOnly && path == other.path
  }
}
