/// Decides how many requests share one HTTP/2 connection to an origin, without I/O.
///
/// A server says how many streams it allows only after the client may have opened more, and some servers then stall all of them.
/// So few requests use a connection that has not answered yet. libcurl knows the limit of one that has, and opens another connection
/// beyond it, which shows the limit for all connections to the origin. A server that was slow for a while looks the same as one that
/// stalls, so a limit is forgotten after some time.
struct StreamAllowance: Equatable {
  /// The number before an answer; the smallest limit of a common server.
  static let first = 8
  /// The number after an answer; libcurl's own limit.
  static let usual = 100

  /// The nanoseconds for which a limit holds.
  static let memory: UInt64 = 600_000_000_000

  private var limit: Int?
  private var until: UInt64 = 0

  /// Returns how many requests may use a connection.
  ///
  /// - Parameter hasAnswered: Whether a response came over the connection.
  func count(hasAnswered: Bool, at now: UInt64) -> Int {
    if let limit, now < until { return limit }
    return hasAnswered ? Self.usual : Self.first
  }

  /// Records that libcurl opened another connection beside one with this many requests.
  mutating func overflowed(running: Int, at now: UInt64) { learn(max(Self.first, running), at: now) }

  /// Records that nothing arrived any more on a connection with this many requests.
  mutating func stalled(running: Int, at now: UInt64) {
    if running > 1 { learn(min(Self.first, running / 2), at: now) }
  }

  /// Keeps a limit, unless a smaller one holds.
  private mutating func learn(_ limit: Int, at now: UInt64) {
    if let known = self.limit, now < until, known < limit { return }
    self.limit = limit
    until = now &+ Self.memory
  }
}
