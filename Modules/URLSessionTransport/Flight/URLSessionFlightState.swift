import CurlewCore
import FoundationEssentials

/// What Foundation's callbacks and the waiting task share of one request. Pure.
struct URLSessionFlightState {
  private(set) var head: ResponseHead?
  private var buffer = BodyBuffer()
  /// Bytes of the body that arrived.
  private(set) var delivered: Int64 = 0
  private var informational = 0
  /// Whether it is decided how it ends, though not told yet: nothing that comes now counts.
  private(set) var isEnding = false
  private(set) var hasEnded = false
  private var error: (any Error)?
  private(set) var isCancelled = false
  /// Whether a challenge was refused, which Foundation ends with −999 although the response is whole.
  var refusedChallenge = false
  /// When it was handed to Foundation, the head came, and the last byte moved.
  private(set) var startedAt: ContinuousClock.Instant?
  private(set) var headAt: ContinuousClock.Instant?
  private var movedAt: ContinuousClock.Instant?
  /// Who waits for news; at most one.
  var waiter: UnsafeContinuation<Void, Never>?

  /// Bytes that wait for the reader.
  private var buffered: Int { buffer.count }
  var headIsThere: Bool { head != nil || hasEnded || isCancelled }
  var bytesAreThere: Bool { buffered > 0 || hasEnded || isCancelled }

  // MARK: Foundation's side

  mutating func start(at now: ContinuousClock.Instant) {
    startedAt = now
    movedAt = now
  }

  mutating func move(at now: ContinuousClock.Instant) { movedAt = now }

  /// Counts an informational head; false when there were too many.
  mutating func countInformational(upTo limit: Int) -> Bool {
    informational += 1
    return informational <= limit
  }

  mutating func arrive(_ head: ResponseHead, at now: ContinuousClock.Instant) {
    self.head = head
    headAt = now
    movedAt = now
  }

  /// Keeps bytes for the reader; false when that would be more than the limit.
  mutating func append(_ bytes: Data, upTo limit: Int) -> Bool {
    delivered += Int64(bytes.count)
    guard bytes.count <= limit - buffered else { return false }
    buffer.append(bytes)
    return true
  }

  // MARK: The end

  /// Decides that it ends; false when that was decided before.
  mutating func beginEnding() -> Bool {
    guard !isEnding else { return false }
    isEnding = true
    return true
  }

  /// Lets the reader see the end; who waits is to be resumed.
  ///
  /// - Parameter discards: Whether what waits for the reader is dropped.
  mutating func end(_ error: (any Error)?, discards: Bool) -> UnsafeContinuation<Void, Never>? {
    hasEnded = true
    self.error = error
    if discards { discard() }
    defer { waiter = nil }
    return waiter
  }

  /// Gives up reading; false when there is nothing left to give up.
  mutating func cancel() -> Bool {
    guard !isCancelled, !hasEnded || buffered > 0 else { return false }
    isCancelled = true
    discard()
    return true
  }

  private mutating func discard() { buffer = BodyBuffer() }

  // MARK: Time

  /// When to look next; nil when there is nothing to wait for.
  func deadline(idle: Duration?, total: Duration?) -> ContinuousClock.Instant? {
    guard !isEnding, let startedAt, let movedAt else { return nil }
    let deadlines = [idle.map { movedAt.advanced(by: $0) }, total.map { startedAt.advanced(by: $0) }]
    return deadlines.compactMap { $0 }.min()
  }

  /// Which timeout has passed; nil when none has.
  func overdue(idle: Duration?, total: Duration?, at now: ContinuousClock.Instant) -> NetworkError.Kind? {
    guard !isEnding, let startedAt, let movedAt else { return nil }
    if let total, startedAt.advanced(by: total) <= now { return .timedOut }
    if let idle, movedAt.advanced(by: idle) <= now { return .idleTimedOut }
    return nil
  }

  // MARK: The task's side

  /// The head, once it is there; nil before.
  func takeHead() throws -> ResponseHead? {
    if isCancelled { throw CancellationError() }
    if let head { return head }
    if let error { throw error }
    if hasEnded { throw NetworkError(.internal, stage: .awaitingHead, message: "The transfer ended without a head.") }
    return nil
  }

  /// What the reader gets: bytes, the end, an error, or nothing yet.
  enum Reading {
    case chunk(Data)
    case end
    case none
  }

  mutating func read() throws -> Reading {
    if isCancelled { throw CancellationError() }
    if let chunk = buffer.popFirst() { return .chunk(chunk) }
    if let error { throw error }
    return hasEnded ? .end : .none
  }
}
