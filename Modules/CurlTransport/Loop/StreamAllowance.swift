/// Decides how many requests share one HTTP/2 connection to an origin, without I/O.
///
/// A server says how many streams it allows only after the client may have opened more, and some servers then stall all of them.
/// So few requests use a connection that has not answered yet. libcurl knows the limit of one that has, and opens another connection
/// beyond it, which shows the limit for all connections to the origin.
struct StreamAllowance: Equatable {
  /// The number before an answer; the smallest limit of a common server.
  static let first = 8
  /// The number after an answer; libcurl's own limit.
  static let usual = 100

  private var limit: Int?

  /// Returns how many requests may use a connection.
  ///
  /// - Parameter hasAnswered: Whether a response came over the connection.
  func count(hasAnswered: Bool) -> Int { limit ?? (hasAnswered ? Self.usual : Self.first) }

  /// Records that libcurl opened another connection beside one with this many requests.
  mutating func overflowed(running: Int) { limit = min(limit ?? .max, max(Self.first, running)) }

  /// Records that nothing arrived any more on a connection with this many requests.
  mutating func stalled(running: Int) {
    guard running > 1 else { return }
    limit = min(limit ?? .max, Self.first, running / 2)
  }
}
