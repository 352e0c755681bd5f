import CurlewCore
import FoundationEssentials
import HTTPTypes

/// The age and freshness lifetime of a stored response, in seconds (RFC 9111 §4.2).
struct CacheFreshness: Sendable, Hashable {
  /// How long it is fresh, from its generation by the server.
  var lifetime: Double
  /// The time since its generation by the server.
  var age: Double

  init(lifetime: Double, age: Double) {
    self.lifetime = lifetime
    self.age = age
  }

  init(_ stored: StoredResponse, _ directives: CacheControl, now: Date, _ heuristics: CacheHeuristics) {
    lifetime = Self.lifetime(of: stored, directives, heuristics)
    age = Self.age(of: stored, now: now)
    // If the wall clock was set back, the elapsed time is unknown, so the response is revalidated.
    if now < stored.receivedAt - Self.tolerance { age = max(age, lifetime) }
  }

  var isFresh: Bool { lifetime > age }
  /// The time since it became stale; 0 while it is fresh.
  var staleness: Double { max(0, age - lifetime) }

  /// How far the wall clock may be set back without consequences.
  private static let tolerance: Double = 60

  /// Returns the current age (§4.2.3).
  static func age(of stored: StoredResponse, now: Date) -> Double {
    let fields = stored.head.headerFields
    let received = HTTPDate(stored.receivedAt)
    let date = fields[values: .date].first.flatMap { HTTPDate($0, now: received) }
    let apparent = date.map { max(0, stored.receivedAt.timeIntervalSince($0.date)) } ?? 0
    let delay = max(0, stored.receivedAt.timeIntervalSince(stored.requestedAt))
    let resident = max(0, now.timeIntervalSince(stored.receivedAt))
    return max(apparent, announcedAge(fields) + delay) + resident
  }

  /// Returns the first member of `Age`; 0 if it is invalid (§5.1).
  private static func announcedAge(_ fields: HTTPFields) -> Double {
    guard let line = fields[values: .age].first, let first = FieldList(line).first(where: { _ in true }) else {
      return 0
    }
    let digits = first.utf8.prefix(20)
    guard digits.count == first.utf8.count, digits.allSatisfy({ $0 &- 0x30 < 10 }) else {
      // A number with too many digits means very old, and any other text is ignored.
      return first.utf8.allSatisfy { $0 &- 0x30 < 10 } ? largest : 0
    }
    return min(Double(first) ?? 0, largest)
  }

  /// About 68 years, the limit for every duration in a cache.
  private static let largest = Double(1 << 31)

  /// Returns the freshness lifetime for a private cache (§4.2.1).
  ///
  /// It is 0 if nothing grants one.
  static func lifetime(
    of stored: StoredResponse, _ directives: CacheControl, _ heuristics: CacheHeuristics
  ) -> Double {
    if let maxAge = directives.maxAge { return Double(maxAge) }
    let fields = stored.head.headerFields
    let received = HTTPDate(stored.receivedAt)
    let date = fields[values: .date].first.flatMap { HTTPDate($0, now: received) } ?? received
    if let expires = fields[values: .expires].first {
      // An invalid date counts as being in the past (§5.3).
      guard let expires = HTTPDate(expires, now: received) else { return 0 }
      return max(0, expires.date.timeIntervalSince(date.date))
    }
    guard directives.isPublic || stored.head.status.isHeuristicallyCacheable,
      let modified = fields[values: .lastModified].first.flatMap({ HTTPDate($0, now: received) })
    else { return 0 }
    return min(max(0, date.date.timeIntervalSince(modified.date)) * heuristics.fraction, heuristics.longest)
  }
}

/// The freshness of a response that does not state its own (RFC 9111 §4.2.2).
struct CacheHeuristics: Sendable, Hashable {
  /// The fraction of the time since the last modification.
  var fraction = 0.1
  /// The longest lifetime in seconds.
  var longest: Double = 7 * 86_400
}

extension HTTPResponse.Status {
  /// Whether this status may be fresh by heuristics (RFC 9110 §15.1).
  var isHeuristicallyCacheable: Bool {
    switch code {
    case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
    default: false
    }
  }

  /// Whether RFC 9110 defines this status, as `must-understand` requires.
  var isUnderstood: Bool {
    switch code {
    case 200...206, 300...305, 307, 308, 400...417, 421, 422, 426, 500...505: true
    default: false
    }
  }
}
