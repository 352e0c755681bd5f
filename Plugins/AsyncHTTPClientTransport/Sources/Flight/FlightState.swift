#if AsyncHTTPClient
import CurlewCore
import HTTPTypes

/// The progress of a request, which its task, its connection, the clock and the app share.
struct FlightState {
  /// The bytes of the request's body that the kernel has taken.
  private(set) var sent: Int64 = 0
  /// The bytes of the response's body that have arrived, and those that were passed on.
  private(set) var received: Int64 = 0
  var delivered: Int64 = 0
  /// The trailer fields, once the body has arrived.
  var trailers: HTTPFields?
  /// The connection; nil before one is used.
  private(set) var connection: Connection?
  /// Whether the outcome is decided, though not reported; later events do not count.
  private(set) var isEnding = false
  private var informational = 0
  private var headBytes: Int64 = 0
  private let queuedAt: ContinuousClock.Instant
  private var startedAt: ContinuousClock.Instant?
  private var firstByteAt: ContinuousClock.Instant?
  private var movedAt: ContinuousClock.Instant?

  /// The connection of a request, as it was when the request was written.
  struct Connection {
    let isReused: Bool
    let localAddress: String?
    let remoteAddress: String?
    let handshake: Duration?
    let version: ResponseHead.Version
    let readyAt: ContinuousClock.Instant
  }

  init(at now: ContinuousClock.Instant) { queuedAt = now }

  // MARK: Progress

  /// Records that AsyncHTTPClient gets the request.
  mutating func start(at now: ContinuousClock.Instant) { (startedAt, movedAt) = (now, now) }

  /// Records that the request is being written.
  mutating func connect(_ connection: Connection) {
    self.connection = connection
    movedAt = connection.readyAt
  }

  mutating func move(at now: ContinuousClock.Instant) { movedAt = now }

  mutating func write(_ count: Int64, at now: ContinuousClock.Instant) {
    sent += count
    movedAt = now
  }

  /// Records a head, and returns whether there were more informational ones than allowed.
  mutating func receiveHead(
    _ bytes: Int64, isFinal: Bool, upTo limit: Int, at now: ContinuousClock.Instant
  ) -> Bool {
    movedAt = now
    firstByteAt = firstByteAt ?? now
    headBytes += bytes
    if !isFinal { informational += 1 }
    return informational > limit
  }

  mutating func receive(_ count: Int, at now: ContinuousClock.Instant) {
    received += Int64(count)
    movedAt = now
  }

  /// Decides that the request ends; returns false if that was decided before.
  mutating func beginEnding() -> Bool {
    defer { isEnding = true }
    return !isEnding
  }

  // MARK: Time

  /// The time of the next timeout; nil without one.
  func deadline(idle: Duration?, total: Duration?) -> ContinuousClock.Instant? {
    guard !isEnding, let startedAt, let movedAt else { return nil }
    return [idle.map { movedAt + $0 }, total.map { startedAt + $0 }].compactMap { $0 }.min()
  }

  /// The timeout that has passed; nil if none has.
  func overdue(idle: Duration?, total: Duration?, at now: ContinuousClock.Instant) -> NetworkError.Kind? {
    guard !isEnding, let startedAt, let movedAt else { return nil }
    if let total, startedAt + total <= now { return .timedOut }
    if let idle, movedAt + idle <= now { return .idleTimedOut }
    return nil
  }

  // MARK: Reporting

  /// How far the request has come, before its head.
  func stage(bodyLength: Int64?) -> NetworkError.Stage {
    guard startedAt != nil else { return .queued }
    guard connection != nil else { return .connecting }
    return sent < bodyLength ?? .max ? .sending : .awaitingHead
  }

  /// Returns the measurements, at the end.
  func metrics(attempt: Int, hop: Int, at now: ContinuousClock.Instant) -> ExchangeMetrics {
    var metrics = ExchangeMetrics(attempt: attempt, hop: hop)
    metrics.bytesSent = sent
    metrics.bytesReceived = received
    metrics.bytesDelivered = delivered
    metrics.headerBytesReceived = headBytes
    metrics.phases.queue = queuedAt.duration(to: startedAt ?? now)
    metrics.phases.total = queuedAt.duration(to: now)
    guard let startedAt, let connection else { return metrics }
    metrics.version = connection.version
    metrics.connectionReused = connection.isReused
    metrics.localAddress = connection.localAddress
    metrics.remoteAddress = connection.remoteAddress
    if !connection.isReused {
      metrics.phases.tls = connection.handshake
      // A connection may have been opened for another request, before this one.
      metrics.phases.connect = max(.zero, startedAt.duration(to: connection.readyAt) - (connection.handshake ?? .zero))
    }
    if let firstByteAt {
      metrics.phases.firstByte = connection.readyAt.duration(to: firstByteAt)
      metrics.phases.transfer = firstByteAt.duration(to: now)
    }
    return metrics
  }
}
#endif
