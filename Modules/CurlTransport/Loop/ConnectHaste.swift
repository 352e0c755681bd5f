/// Decides when a request no longer waits for the connection that another one is making, without I/O.
///
/// Requests that can share an HTTP/2 connection wait for the first one to make it. If that takes long, because the server does
/// not answer, one of them makes another connection, and the rest use whichever is ready first. Each further connection comes
/// after twice the time.
struct ConnectHaste {
  /// The nanoseconds that a request waits at first.
  static let patience: UInt64 = 500_000_000

  private var wait = Self.patience
  private var next: UInt64 = 0
  /// When the last HTTP/2 connection was ready.
  private(set) var connectedAt: UInt64 = 0

  /// Returns whether a request should make a connection of its own, and counts it.
  ///
  /// - Parameter since: When the request began to wait.
  mutating func goesAhead(at now: UInt64, since: UInt64) -> Bool {
    guard now >= max(next, since &+ Self.patience) else { return false }
    wait *= 2
    next = now &+ wait
    return true
  }

  /// Records that a connection is ready.
  mutating func connected(at now: UInt64) { self = ConnectHaste(connectedAt: now) }

  init(connectedAt: UInt64 = 0) { self.connectedAt = connectedAt }
}
