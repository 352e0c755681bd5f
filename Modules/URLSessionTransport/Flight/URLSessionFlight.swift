import CurlewCore
import FoundationEssentials
import FoundationNetworking
import HTTPTypes

/// The state of one request on its way through Foundation.
///
/// The waiting task, Foundation's delegate queue, the clock and the app can all end it; the first one wins.
final class URLSessionFlight: BodyProducer {
  let plan: SendPlan
  let exchange: Exchange
  let pool: SessionPool
  let upload: Upload?
  let channel: BodyChannel
  let shared = Guarded(URLSessionFlightState())
  let outbox: EventOutbox
  /// The pool's monitor if the exchange uses the system's clock, else one of its own.
  private let watchman: TimeoutMonitor
  let reporters = Guarded((sent: ByteReporter(), received: ByteReporter()))
  /// Keeps the pool alive; nil once this flight is over.
  private let keeper: Guarded<PoolKeeper?>
  /// Foundation's task, once it exists.
  let task = Guarded<URLSessionDataTask?>(nil)

  var clock: any NetworkClock { exchange.settings.clock }

  init(_ plan: SendPlan, exchange: Exchange, _ keeper: PoolKeeper) {
    self.plan = plan
    self.exchange = exchange
    self.keeper = Guarded(keeper)
    pool = keeper.pool
    channel = BodyChannel(holdingUpTo: pool.bodyBuffer)
    upload = Upload(plan.request.body)
    outbox = EventOutbox(exchange)
    watchman = exchange.settings.clock is SystemClock ? pool.watchman : TimeoutMonitor(exchange.settings.clock)
  }

  // MARK: The side of the task

  /// Sends the request and waits for the final head.
  func response() async throws -> Response {
    channel.connect(self)
    guard pool.submit(self) else {
      channel.finish(NetworkError.shutDown)
      throw NetworkError.shutDown
    }
    return try await channel.response()
  }

  /// Does nothing, because Foundation cannot pause.
  func resumeProducing() {}

  /// Ends the flight and cancels Foundation's task.
  func stopProducing() { finish(CancellationError()) }

  // MARK: Time

  /// Starts the timeouts; called when Foundation receives the request.
  func start() {
    shared.withLock { $0.start(at: clock.now) }
    watchman.watch(self)
  }

  /// The time of the next timeout; nil without one.
  var deadline: ContinuousClock.Instant? {
    shared.withLock { $0.deadline(idle: plan.idleTimeout, total: plan.totalTimeout) }
  }

  /// Ends the flight if a timeout has passed.
  func checkTime(at now: ContinuousClock.Instant) {
    let kind = shared.withLock { $0.overdue(idle: plan.idleTimeout, total: plan.totalTimeout, at: now) }
    guard let kind else { return }
    finish(NetworkError.timeout(kind, stage: stage, of: Timeouts(idle: plan.idleTimeout, total: plan.totalTimeout)))
  }

  // MARK: The end

  /// The current stage, as far as Foundation shows it.
  var stage: NetworkError.Stage {
    if channel.head != nil { return .receivingBody }
    guard let upload else { return .awaitingHead }
    return upload.handed < (plan.request.body.length ?? 0) ? .sending : .awaitingHead
  }

  /// Ends the flight, unless it has ended, and cancels Foundation's task.
  ///
  /// - Parameters:
  ///   - error: The error; nil when the response is complete.
  ///   - discards: Whether to discard the bytes that wait for the reader.
  func finish(_ error: (any Error)?, discards: Bool = false) {
    guard shared.withLock({ $0.beginEnding() }) else { return }
    if error != nil { pool.abandon(self) }
    if watchman === pool.watchman { watchman.dismiss(self) } else { watchman.close() }
    let metrics = measure(isWhole: error == nil)
    exchange.record(metrics)
    reportEnd(metrics)
    let outcome = (error as? NetworkError).map { complete($0, metrics) } ?? error
    channel.finish(outcome, discardingBuffer: discards)
    // The last reference closes the pool, so it is released outside the lock.
    _ = keeper.withLock { keeper in
      defer { keeper = nil }
      return keeper
    }
  }

  /// Adds the request, the response and the metrics to an error.
  private func complete(_ error: NetworkError, _ metrics: ExchangeMetrics) -> NetworkError {
    error.with { details in
      details.request = plan.request
      details.response = channel.head
      details.bytesSent = metrics.bytesSent
      details.bytesReceived = metrics.bytesReceived
      // Foundation does not report when a connection is established. Only errors that precede a connection are certain.
      let before: Set<NetworkError.Kind> = [
        .nameLookupFailed, .connectionFailed, .connectTimedOut, .handshakeFailed, .serverTrustRefused,
      ]
      let wasSent = shared.withLock { $0.startedAt != nil }
      details.maybeProcessed = wasSent && !before.contains(error.kind)
    }
  }
}

extension NetworkError {
  static let shutDown = NetworkError(
    .transportShutDown, stage: .preparing, message: "The transport was shut down.")
}

extension URLSessionFlight {
  /// Returns the byte counts and the duration; Foundation measures nothing itself.
  func measure(isWhole: Bool) -> ExchangeMetrics {
    let now = clock.now
    let state = shared.withLock { $0 }
    var metrics = ExchangeMetrics(attempt: exchange.attempt, hop: exchange.hop)
    metrics.bytesSent = upload?.handed ?? 0
    metrics.bytesDelivered = state.delivered
    // For a coded body, the bytes on the wire are known only if the length was announced and the body is complete.
    let coded = channel.head?.undoneCoding
    metrics.bytesReceived = coded.map { isWhole ? $0.codedLength ?? 0 : 0 } ?? state.delivered
    metrics.phases.total = state.startedAt.map { $0.duration(to: now) }
    metrics.phases.transfer = state.headAt.map { $0.duration(to: now) }
    return metrics
  }

  /// Reports the last byte counts and the metrics, after which nothing is reported.
  func reportEnd(_ metrics: ExchangeMetrics) {
    let head = channel.head
    reportUpload()
    if let head, head.undoneCoding == nil {
      outbox.tell(.received(bytes: metrics.bytesReceived, expected: head.expectedLength))
    }
    outbox.tell(.measured(metrics), isLast: true)
  }
}
