import CurlewCore
import FoundationEssentials
import FoundationNetworking
import HTTPTypes

/// One request on its way through Foundation.
///
/// The waiting task, Foundation's delegate queue, the clock and the app may all end it; the first one does.
final class URLSessionFlight: BodyProducer {
  let plan: SendPlan
  let exchange: Exchange
  let pool: SessionPool
  let upload: Upload?
  let channel: BodyChannel
  let shared = Guarded(URLSessionFlightState())
  let outbox: EventOutbox
  /// The pool's, where the exchange's time is the machine's.
  private let watchman: TimeoutMonitor
  let reporters = Guarded((sent: ByteReporter(), received: ByteReporter()))
  /// Nil once this flight is over.
  private let keeper: Guarded<PoolKeeper?>
  /// Foundation's task, once there is one.
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

  // MARK: The task's side

  /// Sends the request and waits for the final head.
  func response() async throws -> Response {
    channel.connect(self)
    guard pool.submit(self) else {
      channel.finish(NetworkError.shutDown)
      throw NetworkError.shutDown
    }
    return try await channel.response()
  }

  /// Does nothing: Foundation cannot be made to pause.
  func resumeProducing() {}

  /// The reader gave up: Foundation lets go when it comes to it.
  func stopProducing() { finish(CancellationError()) }

  // MARK: Time

  /// Begins to count time; called when Foundation is given the request.
  func start() {
    shared.withLock { $0.start(at: clock.now) }
    watchman.watch(self)
  }

  /// When its time is up, as far as is known now; nil when that is never.
  var deadline: ContinuousClock.Instant? {
    shared.withLock { $0.deadline(idle: plan.idleTimeout, total: plan.totalTimeout) }
  }

  /// Ends it when its time is up.
  func checkTime(at now: ContinuousClock.Instant) {
    let kind = shared.withLock { $0.overdue(idle: plan.idleTimeout, total: plan.totalTimeout, at: now) }
    guard let kind else { return }
    finish(
      NetworkError(
        kind, stage: stage,
        message: kind == .timedOut ? "It took too long." : "No byte came or went for too long."))
  }

  // MARK: The end

  /// How far it has come, as far as Foundation lets one see.
  var stage: NetworkError.Stage {
    if channel.head != nil { return .receivingBody }
    guard let upload else { return .awaitingHead }
    return upload.handed < (plan.request.body.length ?? 0) ? .sending : .awaitingHead
  }

  /// Ends it, unless it has ended, and makes Foundation let go.
  ///
  /// - Parameters:
  ///   - error: Nil when the response is whole.
  ///   - discards: Whether what waits for the reader is dropped.
  func finish(_ error: (any Error)?, discards: Bool = false) {
    guard shared.withLock({ $0.beginEnding() }) else { return }
    if error != nil { pool.abandon(self) }
    if watchman === pool.watchman { watchman.dismiss(self) } else { watchman.close() }
    let metrics = measure(isWhole: error == nil)
    exchange.record(metrics)
    reportEnd(metrics)
    let outcome = (error as? NetworkError).map { complete($0, metrics) } ?? error
    channel.finish(outcome, discardingBuffer: discards)
    // The last reference closes the pool, outside the lock.
    _ = keeper.withLock { keeper in
      defer { keeper = nil }
      return keeper
    }
  }

  /// Adds what is known by now.
  private func complete(_ error: NetworkError, _ metrics: ExchangeMetrics) -> NetworkError {
    error.with { details in
      details.request = plan.request
      details.response = channel.head
      details.bytesSent = metrics.bytesSent
      details.bytesReceived = metrics.bytesReceived
      // Foundation does not tell when a connection is there: only what happens before one is certain.
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
