import CurlewCore
import FoundationEssentials
import HTTPTypes

/// How old a stored response is and how long it is fresh, in seconds (RFC 9111 §4.2).
struct CacheFreshness: Sendable, Hashable {
  /// How long it is fresh from when the server made it.
  var lifetime: Double
  /// How long ago the server made it.
  var age: Double

  init(lifetime: Double, age: Double) {
    self.lifetime = lifetime
    self.age = age
  }

  init(_ stored: StoredResponse, _ directives: CacheControl, now: Date, _ heuristics: CacheHeuristics) {
    lifetime = Self.lifetime(of: stored, directives, heuristics)
    age = Self.age(of: stored, now: now)
    // A wall clock that was set back says nothing of the time since; then the server is asked.
    if now < stored.receivedAt - Self.tolerance { age = max(age, lifetime) }
  }

  var isFresh: Bool { lifetime > age }
  /// How long it has been stale; 0 while fresh.
  var staleness: Double { max(0, age - lifetime) }

  /// How far a wall clock may go back without a word.
  private static let tolerance: Double = 60

  /// The current age (§4.2.3).
  static func age(of stored: StoredResponse, now: Date) -> Double {
    let fields = stored.head.headerFields
    let received = HTTPDate(stored.receivedAt)
    let date = fields[values: .date].first.flatMap { HTTPDate($0, now: received) }
    let apparent = date.map { max(0, stored.receivedAt.timeIntervalSince($0.date)) } ?? 0
    let delay = max(0, stored.receivedAt.timeIntervalSince(stored.requestedAt))
    let resident = max(0, now.timeIntervalSince(stored.receivedAt))
    return max(apparent, announcedAge(fields) + delay) + resident
  }

  /// The first member of `Age`; 0 where it is none (§5.1).
  private static func announcedAge(_ fields: HTTPFields) -> Double {
    guard let line = fields[values: .age].first, let first = FieldList(line).first(where: { _ in true }) else {
      return 0
    }
    let digits = first.utf8.prefix(20)
    guard digits.count == first.utf8.count, digits.allSatisfy({ $0 &- 0x30 < 10 }) else {
      // More digits than any number of seconds has is very old, and anything else is nothing.
      return first.utf8.allSatisfy { $0 &- 0x30 < 10 } ? largest : 0
    }
    return min(Double(first) ?? 0, largest)
  }

  /// About 68 years, as for every span of a cache.
  private static let largest = Double(1 << 31)

  /// The freshness lifetime for a private cache (§4.2.1); 0 where nothing grants one.
  static func lifetime(
    of stored: StoredResponse, _ directives: CacheControl, _ heuristics: CacheHeuristics
  ) -> Double {
    if let maxAge = directives.maxAge { return Double(maxAge) }
    let fields = stored.head.headerFields
    let received = HTTPDate(stored.receivedAt)
    let date = fields[values: .date].first.flatMap { HTTPDate($0, now: received) } ?? received
    if let expires = fields[values: .expires].first {
      // A date that cannot be read is in the past (§5.3).
      guard let expires = HTTPDate(expires, now: received) else { return 0 }
      return max(0, expires.date.timeIntervalSince(date.date))
    }
    guard directives.isPublic || stored.head.status.isHeuristicallyCacheable,
      let modified = fields[values: .lastModified].first.flatMap({ HTTPDate($0, now: received) })
    else { return 0 }
    return min(max(0, date.date.timeIntervalSince(modified.date)) * heuristics.fraction, heuristics.longest)
  }
}

/// How long a response is fresh that does not say so itself (RFC 9111 §4.2.2).
struct CacheHeuristics: Sendable, Hashable {
  /// The part of the time since the last change.
  var fraction = 0.1
  /// In seconds.
  var longest: Double = 7 * 86_400
}

extension HTTPResponse.Status {
  /// Whether a response of this status may be fresh by heuristics (RFC 9110 §15.1).
  var isHeuristicallyCacheable: Bool {
    switch code {
    case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
    default: false
    }
  }

  /// Whether RFC 9110 defines it, which `must-understand` asks for.
  var isUnderstood: Bool {
    switch code {
    case 200...206, 300...305, 307, 308, 400...417, 421, 422, 426, 500...505: true
    default: false
    }
  }
}
