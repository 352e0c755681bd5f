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
