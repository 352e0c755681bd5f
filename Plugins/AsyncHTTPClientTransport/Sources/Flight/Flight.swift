#if AsyncHTTPClient
import AsyncHTTPClient
import CurlewCore
import FoundationEssentials
import NIOCore
import Synchronization

/// One request on its way through AsyncHTTPClient.
///
/// Its task sends the request and moves the body into the channel. The task, the connection, the clock, the app and the end of
/// the transport can all end it; the first one wins.
final class Flight: BodyProducer {
  let plan: SendPlan
  let exchange: Exchange
  let mark: String
  let channel: BodyChannel
  let state: Mutex<FlightState>
  let outbox: EventOutbox
  let reporters = Mutex((sent: ByteReporter(), received: ByteReporter()))
  let hub: Hub
  private let alarm: Alarm
  /// Wakes the task when the reader wants more.
  private let demand = Demand()
  /// What lives as long as the flight: the clients, the task and the upload.
  private let held: Mutex<Held>

  private struct Held {
    var keeper: HubKeeper?
    var task: Task<Void, Never>?
    var upload: Upload?
  }

  /// The most stale connections that a request may find before it fails.
  private static let mostStaleConnections = 8

  var clock: any NetworkClock { exchange.settings.clock }

  init(_ plan: SendPlan, exchange: Exchange, _ keeper: HubKeeper) {
    self.plan = plan
    self.exchange = exchange
    hub = keeper.hub
    mark = hub.flights.nextMark()
    channel = BodyChannel(pausingFrom: max(1, hub.configuration.bodyBuffer))
    state = Mutex(FlightState(at: exchange.settings.clock.now))
    outbox = EventOutbox(exchange)
    alarm = Alarm(exchange.settings.clock, on: hub.configuration.eventLoops.any())
    held = Mutex(Held(keeper: keeper))
  }

  /// Sends the request and waits for the final head.
  func response() async throws -> Response {
    channel.connect(self)
    guard hub.flights.add(self) else {
      channel.finish(NetworkError.shutDown)
      throw NetworkError.shutDown
    }
    // It has the task-local values of the caller, such as a tracing context.
    let task = Task { await self.run() }
    held.withLock { $0.task = task }
    // A flight that was ended before this has not cancelled it.
    if isEnding { task.cancel() }
    return try await channel.response()
  }

  /// Wakes the task, which continues to move bytes.
  func resumeProducing() {
    state.withLock { $0.move(at: clock.now) }
    demand.signal()
  }

  /// Ends the flight because the reader cancelled.
  func stopProducing() { finish(CancellationError()) }

  // MARK: The task

  private func run() async {
    do {
      try await hub.places.enter(plan.request.options.priority?.rawValue ?? 0)
      defer { hub.places.leave() }
      try Task.checkCancellation()
      let client = try hub.client(for: plan)
      defer { hub.release(client) }
      try await send(over: client)
      finish(nil)
    } catch {
      finish(FailureTable(error, sawHead: channel.head != nil, wasWritten: wasWritten).error)
    }
  }

  private func send(over client: Client) async throws {
    let upload = try Upload(plan.request.body, pausedBy: exchange.pause) { [self] in
      state.withLock { $0.move(at: clock.now) }
    }
    held.withLock { $0.upload = upload }
    if isEnding { upload?.stop() }
    state.withLock { $0.start(at: clock.now) }
    setAlarm()
    let response = try await execute(plan.message(upload?.body, mark: mark), over: client)
    let head = HeadReader(plan).head(response.status, response.version, response.headers)
    reportSent()
    outbox.tell(.responded(head))
    channel.respond(head)
    for try await bytes in response.body { try await pass(bytes) }
  }

  /// Gives the request to AsyncHTTPClient, and returns when the final head has arrived.
  ///
  /// A stale connection is closed before anything of the request is written. The request then uses another connection.
  private func execute(_ message: HTTPClientRequest, over client: Client) async throws -> HTTPClientResponse {
    let waiting = plan.evaluator.flatMap { evaluator in
      client.evaluators?.add(evaluator, clock) { [weak self] in
        self.map { $0.state.withLock { $0.connection?.isReused } } ?? true
      }
    }
    defer { if let waiting { client.evaluators?.remove(waiting) } }
    for _ in 0..<Self.mostStaleConnections {
      do {
        return try await client.http.execute(message, deadline: .distantFuture)
      } catch is StaleConnectionError {
        try Task.checkCancellation()
      }
    }
    return try await client.http.execute(message, deadline: .distantFuture)
  }

  /// Passes bytes to the reader, and waits while it is too slow.
  private func pass(_ bytes: ByteBuffer) async throws {
    while true {
      switch bytes.withUnsafeReadableBytes({ channel.put($0) }) {
      case .more:
        state.withLock { $0.delivered += Int64(bytes.readableBytes) }
        return reportReceived()
      case .pause: await demand.wait()
      // The reader has gone, or its sink threw; the channel has the error.
      case .gone: throw CancellationError()
      }
    }
  }

  // MARK: Time

  private func setAlarm() {
    let deadline = state.withLock { $0.deadline(idle: plan.idleTimeout, total: plan.totalTimeout) }
    if let deadline { alarm.set(at: deadline) { [weak self] in self?.checkTime() } }
  }

  /// Ends the flight if a timeout has passed, and otherwise waits for the next one.
  private func checkTime() {
    let now = clock.now
    // A reader or an app that makes the transport wait does not use up the idle timeout.
    if channel.isFull || exchange.pause?.isPaused == true { state.withLock { $0.move(at: now) } }
    let kind = state.withLock { $0.overdue(idle: plan.idleTimeout, total: plan.totalTimeout, at: now) }
    guard let kind else { return setAlarm() }
    finish(NetworkError.timeout(kind, stage: stage, of: Timeouts(idle: plan.idleTimeout, total: plan.totalTimeout)))
  }

  /// How far the request has come.
  private var stage: NetworkError.Stage {
    channel.head != nil ? .receivingBody : state.withLock { $0.stage(bodyLength: plan.request.body.length) }
  }

  /// Passes on that the kernel has taken bytes of the request's body.
  func tookUpload(_ count: Int64) { held.withLock { $0.upload }?.took(count) }

  private var isEnding: Bool { state.withLock { $0.isEnding } }

  private var wasWritten: Bool { state.withLock { $0.connection != nil } }

  // MARK: The end

  /// Ends the flight, unless it has ended.
  ///
  /// - Parameters:
  ///   - error: The error; nil when the response is complete.
  ///   - discards: Whether to discard the bytes that wait for the reader.
  func finish(_ error: (any Error)?, discards: Bool = false) {
    guard state.withLock({ $0.beginEnding() }) else { return }
    alarm.cancel()
    hub.flights.remove(self)
    let held = held.withLock { held in
      defer { held = Held() }
      return held
    }
    if error != nil {
      held.task?.cancel()
      held.upload?.stop()
    } else {
      held.upload?.runFree()
    }
    demand.end()
    let metrics = report()
    let outcome = (error as? NetworkError).map { complete($0, metrics) } ?? error
    channel.finish(outcome, trailers: state.withLock { $0.trailers }, discardingBuffer: discards)
    // `held` is released here, outside the locks: the last reference to the clients closes them.
  }

  /// Adds the request, the response and the metrics to an error.
  private func complete(_ error: NetworkError, _ metrics: ExchangeMetrics) -> NetworkError {
    let wasWritten = wasWritten
    let stage = stage
    return error.with { details in
      // The table of failures knows only whether there is a head.
      if details.stage == .awaitingHead { details.stage = stage }
      details.request = plan.request
      details.response = channel.head
      details.bytesSent = metrics.bytesSent
      details.bytesReceived = metrics.bytesReceived
      // A connection that is lost before the request is written was open before: a new one would have failed otherwise.
      details.connectionReused = metrics.connectionReused ?? (error.kind == .connectionLost ? true : nil)
      details.maybeProcessed = wasWritten
    }
  }
}
#endif
