import CurlewCore

/// Turns byte counts into events, for each direction.
///
/// There are at most ten events per second, and one at the end.
struct ProgressReporter {
  private static let interval: UInt64 = 100_000_000
  private let exchange: Exchange
  var expected: Int64?
  private var sentAt: UInt64 = 0
  private var receivedAt: UInt64 = 0
  private var lastSent: Int64 = -1
  private var lastReceived: Int64 = 0

  init(_ exchange: Exchange) { self.exchange = exchange }

  mutating func sent(_ bytes: Int64, of total: Int64?, at now: UInt64, isLast: Bool = false) {
    guard isLast || now &- sentAt >= Self.interval, bytes > lastSent else { return }
    sentAt = now
    lastSent = bytes
    exchange.emit(.sent(bytes: bytes, expected: total))
  }

  mutating func received(_ bytes: Int64, at now: UInt64, isLast: Bool = false) {
    guard isLast || now &- receivedAt >= Self.interval, bytes >= lastReceived else { return }
    receivedAt = now
    lastReceived = bytes
    exchange.emit(.received(bytes: bytes, expected: expected))
  }
}
