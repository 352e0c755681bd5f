import CurlewCore
import FoundationEssentials
import HTTPTypes

/// One sending of a `StubTransport`, with its clock, counters and single end.
final class StubSending: Sendable {
  let request: Request
  let exchange: Exchange
  private let start: ContinuousClock.Instant
  private let state = Guarded(State())

  private struct State {
    /// The error that ends it early; set once.
    var interruption: (any Error)?
    var waiting: (@Sendable () -> Void)?
    var onEnd: (@Sendable () -> Void)?
    var isOver = false
    var headAt: ContinuousClock.Instant?
    var head: ResponseHead?
    var lastSent: ContinuousClock.Instant?
    var lastReceived: ContinuousClock.Instant?
    var expected: Int64?
    var metrics: ExchangeMetrics
    init() { metrics = ExchangeMetrics() }
  }

  init(_ request: Request, _ exchange: Exchange) {
    self.request = request
    self.exchange = exchange
    start = exchange.settings.clock.now
  }

  func onEnd(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onEnd = action } }

  /// Ends the sending early, now or at its next step.
  func interrupt(_ error: any Error) {
    let waiting = state.withLock { state -> (@Sendable () -> Void)? in
      guard !state.isOver, state.interruption == nil else { return nil }
      state.interruption = error
      return state.waiting
    }
    waiting?()
  }

  /// Throws if the sending was ended from outside, or its time is over.
  func checkInterruption() throws {
    if let interruption = state.withLock({ $0.interruption }) { throw interruption }
    try Task.checkCancellation()
    // Only the total timeout can lie in the past, because the idle timeout starts again each time.
    if let limit = nearestLimit(), limit.instant <= exchange.settings.clock.now { throw limit.error }
  }

  /// Runs an operation until it is done, times out or is interrupted.
  func run<Value: Sendable>(_ operation: @escaping @Sendable () async throws -> Value) async throws -> Value {
    try checkInterruption()
    let limit = nearestLimit()
    let clock = exchange.settings.clock
    let task = Task<Value, any Error> {
      guard let limit else { return try await operation() }
      return try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await operation() }
        group.addTask {
          try await clock.sleep(until: limit.instant)
          throw limit.error
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
      }
    }
    state.withLock { $0.waiting = { task.cancel() } }
    defer { state.withLock { $0.waiting = nil } }
    let result = await withTaskCancellationHandler {
      // The interruption may have arrived before the task was stored.
      if state.withLock({ $0.interruption != nil }) { task.cancel() }
      return await task.result
    } onCancel: {
      task.cancel()
    }
    try checkInterruption()
    return try result.get()
  }

  private func nearestLimit() -> (instant: ContinuousClock.Instant, error: NetworkError)? {
    let timeouts = request.options.timeouts
    let stage: NetworkError.Stage = state.withLock { $0.headAt == nil } ? .awaitingHead : .receivingBody
    let total = timeouts.total.map { start.advanced(by: $0.limited) }
    let idle = timeouts.idle.map { exchange.settings.clock.now.advanced(by: $0.limited) }
    let maybeProcessed = stage == .awaitingHead
    if let total, idle.map({ total <= $0 }) ?? true {
      return (
        total,
        NetworkError.timeout(.timedOut, stage: stage, of: timeouts).with {
          $0.maybeProcessed = maybeProcessed
        }
      )
    }
    guard let idle else { return nil }
    return (
      idle,
      NetworkError.timeout(.idleTimedOut, stage: stage, of: timeouts).with {
        $0.maybeProcessed = maybeProcessed
      }
    )
  }

  /// Counts bytes of the request's body.
  func sent(_ bytes: Int64, expected: Int64?, isLast: Bool) {
    let now = exchange.settings.clock.now
    let tells = state.withLock { state in
      state.metrics.bytesSent = bytes
      guard isLast || state.lastSent.map({ $0.duration(to: now) >= .milliseconds(100) }) ?? true else { return false }
      state.lastSent = now
      return true
    }
    if tells { exchange.emit(.sent(bytes: bytes, expected: expected)) }
  }

  /// Counts bytes of the response's body.
  func received(_ bytes: Int) {
    let now = exchange.settings.clock.now
    let news = state.withLock { state -> (bytes: Int64, expected: Int64?)? in
      state.metrics.bytesReceived += Int64(bytes)
      state.metrics.bytesDelivered += Int64(bytes)
      guard state.lastReceived.map({ $0.duration(to: now) >= .milliseconds(100) }) ?? true else { return nil }
      state.lastReceived = now
      return (state.metrics.bytesReceived, state.expected)
    }
    if let news { exchange.emit(.received(bytes: news.bytes, expected: news.expected)) }
  }

  /// Returns the response.
  func respond(_ answer: StubAnswer) throws -> Response {
    try checkInterruption()
    let head = answer.head(for: request)
    let reused = answer.connectionReused && !exchange.requiresFreshConnection
    let now = exchange.settings.clock.now
    state.withLock { state in
      state.headAt = now
      state.head = head
      state.expected = head.expectedLength
      state.metrics.connectionReused = reused
      state.metrics.version = answer.version
      state.metrics.headerBytesReceived = head.headerFields.reduce(0) { sum, field in
        sum + Int64(field.name.rawName.utf8.count + field.value.utf8.count + 4)
      }
    }
    exchange.emit(.connected(reused: reused))
    for informational in answer.informational {
      exchange.emit(
        .informational(
          ResponseHead(
            url: request.url, status: informational.status, version: answer.version,
            headerFields: informational.headerFields)))
    }
    exchange.emit(.responded(head))
    let steps = head.expectedLength == 0 ? [] : answer.body
    return Response(
      head: head, body: ResponseBody(StubBody(self, steps, length: head.expectedLength, answer.trailers)))
  }

  /// Records the end; only the first one counts.
  func finish() {
    let now = exchange.settings.clock.now
    let end = state.withLock { state -> (ExchangeMetrics, expected: Int64?, (@Sendable () -> Void)?)? in
      guard !state.isOver else { return nil }
      state.isOver = true
      state.metrics.attempt = exchange.attempt
      state.metrics.hop = exchange.hop
      state.metrics.phases.total = start.duration(to: now)
      state.metrics.phases.firstByte = state.headAt.map { start.duration(to: $0) }
      state.metrics.phases.transfer = state.headAt.map { $0.duration(to: now) }
      defer { state.onEnd = nil }
      return (state.metrics, state.expected, state.onEnd)
    }
    guard let (metrics, expected, onEnd) = end else { return }
    if metrics.version != nil { exchange.emit(.received(bytes: metrics.bytesReceived, expected: expected)) }
    exchange.record(metrics)
    exchange.emit(.measured(metrics))
    onEnd?()
  }

  /// Records the end and returns the error as a transport reports it.
  func finish(throwing error: any Error) -> any Error {
    let interruption = state.withLock { $0.interruption }
    finish()
    let cause = interruption ?? (Task.isCancelled ? CancellationError() : error)
    guard let network = cause as? NetworkError else { return cause }
    let (metrics, head) = state.withLock { ($0.metrics, $0.head) }
    return network.with { details in
      details.request = details.request ?? request
      details.response = details.response ?? head
      details.bytesSent = max(details.bytesSent, metrics.bytesSent)
      details.bytesReceived = max(details.bytesReceived, metrics.bytesReceived)
    }
  }
}
