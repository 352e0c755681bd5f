import CLibcurl
import CurlewCore
import FoundationEssentials
import HTTPTypes

/// One request on its way: what the waiting task sees of it, and what the loop does with it.
///
/// The task's side is behind `shared`; all other mutable state belongs to the loop's thread. Accesses that nothing can
/// overlap, since what is called in them knows no flight, go unchecked.
// Safe because everything but `shared` is touched by the loop's thread only, once `submit` handed the flight over.
final class CurlFlight: @unchecked Sendable {
  let plan: SendPlan
  let exchange: Exchange
  let loop: EventLoop
  let shared = Guarded(CurlFlightState())

  // The loop's.
  /// Nil once this flight is over.
  private var keeper: LoopKeeper?
  /// Where the loop keeps it while it is on the wire.
  var runningPlace: Int?
  var easy: EasyHandle?
  @exclusivity(unchecked) var parser: HeadParser
  var upload: (any Upload)?
  /// The file that is the request's body, once it is open.
  var file: UploadFile?
  /// Hears of the end of a pause, where there is an upload.
  private var pauseObservation: PauseSignal.Observation?
  @exclusivity(unchecked) var metrics: ExchangeMetrics
  var failure: NetworkError?
  var trustFailure: NetworkError?
  /// Whether the server asked for a client identity and was given none.
  var lacksIdentity = false
  var queuedAt: UInt64
  var takenOffAt: UInt64 = 0
  var prereqCalls = 0
  var reused: Bool?
  var wroteBeforeLoss = false
  /// Which connection of the origin's it may share; see `HTTP2Lanes`.
  var lane: Int?
  var sawHead = false
  /// The server refused the HTTP/2 stream, so it processed nothing.
  var wasRefused = false
  /// The server reset the HTTP/2 stream before it ended it, without an error.
  var wasCutByReset = false
  /// Whether the body waits for `100 Continue`, and until when at most.
  var awaitsContinue = false
  var continueDue: UInt64 = 0
  /// A proxy's answer to CONNECT.
  var connectHead: KnownHead?
  /// Nothing but the connection's end says that the body is whole.
  var endsWithConnection = false
  /// The mark of the connection it is on; nil for plain `http`.
  var seal: VerifiedTag?
  var receivePaused = false
  var sendPaused = false
  var receivePacer: Pacer
  var sendPacer: Pacer
  /// Whether a direction waits for its rate limit.
  var receivePaced = false
  var sendPaced = false
  var sink: (any BodySink)?
  var sinkWaits = false
  /// Buffered before the sink took over, and not taken by it yet.
  var undrained = BodyBuffer()
  var isTouched = false
  var lastMotion: UInt64 = 0
  var lastSeenBytes: Int64 = 0
  /// What the sink threw.
  var sinkFailure: (any Error)?
  var reporter: ProgressReporter
  var errorText: UnsafeMutablePointer<CChar>?
  var connectTo: UnsafeMutablePointer<curl_slist>?
  var proxyFields: UnsafeMutablePointer<curl_slist>?

  init(_ plan: SendPlan, exchange: Exchange, _ keeper: LoopKeeper) {
    self.plan = plan
    self.exchange = exchange
    self.keeper = keeper
    loop = keeper.loop
    parser = HeadParser(loop.headLimits)
    metrics = ExchangeMetrics(attempt: exchange.attempt, hop: exchange.hop)
    queuedAt = monotonicNanoseconds()
    reporter = ProgressReporter(exchange)
    receivePacer = Pacer(bytesPerSecond: plan.request.options.rateLimit?.receive)
    sendPacer = Pacer(bytesPerSecond: plan.request.options.rateLimit?.send)
  }

  deinit {
    errorText?.deallocate()
    curl_slist_free_all(connectTo)
    curl_slist_free_all(proxyFields)
  }

  var isCancelled: Bool { shared.withLock { $0.isCancelled } }

  /// The flight of an easy handle.
  static func of(_ easy: EasyHandle) -> CurlFlight? {
    var context: UnsafeMutablePointer<CChar>?
    guard curlew_get_string(easy, CURLINFO_PRIVATE, &context) == CURLE_OK, let context else { return nil }
    return Unmanaged<CurlFlight>.fromOpaque(UnsafeRawPointer(context)).takeUnretainedValue()
  }

  // MARK: The task's side

  /// Sends the request and waits for the final head.
  nonisolated(nonsending) func response() async throws -> Response {
    guard loop.submit(self) else { throw NetworkError.shutDown }
    do {
      return try await withTaskCancellationHandler {
        while true {
          if let response = try arrived() { return response }
          await wait { $0.headIsThere }
        }
      } onCancel: {
        cancel()
      }
    } catch {
      // Nobody will read the body.
      if shared.withLock({ !$0.hasEnded }) { cancel() }
      throw error
    }
  }

  /// The response once its head is there; out of line, or heads lie in the frame that waits.
  @inline(never) private func arrived() throws -> Response? {
    guard let head = try shared.withLock({ state in try state.takeHead() }) else { return nil }
    return Response(head: head, body: ResponseBody(self))
  }

  /// Waits until the loop has something new, or `isReady` holds already.
  nonisolated(nonsending) func wait(until isReady: (CurlFlightState) -> Bool) async {
    await withUnsafeContinuation { continuation in
      let ready = shared.withLock { state -> Bool in
        if isReady(state) || state.isCancelled || state.waiter != nil { return true }
        state.waiter = continuation
        return false
      }
      if ready { continuation.resume() }
    }
  }

  /// Gives up: the waiting task goes on at once, the loop lets go when it comes to it.
  func cancel() {
    let (waiter, isNew) = shared.withLock { state -> (UnsafeContinuation<Void, Never>?, Bool) in
      guard !state.isCancelled, !state.hasEnded else { return (nil, false) }
      state.isCancelled = true
      state.discard()
      defer { state.waiter = nil }
      return (state.waiter, true)
    }
    guard isNew else { return }
    waiter?.resume()
    loop.post(.cancel(self))
  }

  // MARK: The loop's side

  /// Ends a flight that never took off.
  func end(with error: NetworkError) {
    metrics.phases.queue = .nanoseconds(Int64(clamping: monotonicNanoseconds() &- queuedAt))
    finish(isCancelled ? CancellationError() : error.with { $0.request = plan.request })
  }

  /// Notes why the loop is about to end this flight; the first reason stands.
  func fail(_ error: NetworkError) {
    failure = failure ?? error
    forbidReuse()
  }

  /// Closes the connection when nobody else is on it: libcurl would keep an HTTP/2 connection and tell the server that a
  /// stream was given up only when it next writes something there.
  func forbidReuse() { if let easy { curlew_set_long(easy, CURLOPT_FORBID_REUSE, 1) } }

  /// Tells the waiting task how it ended, and the exchange what was measured.
  func finish(_ error: (any Error)?) {
    exchange.record(metrics)
    exchange.emit(.measured(metrics))
    let waiter = shared.withLock { state -> UnsafeContinuation<Void, Never>? in
      state.restore(undrained)
      state.end(error, trailers: parser.trailers)
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
    keeper = nil
  }

  /// Notes that the reader is to be woken when the loop is through with this turn.
  func touch() {
    guard !isTouched else { return }
    isTouched = true
    loop.touch(self)
  }

  /// Wakes the reader, and stops reading when it is behind.
  func flush() {
    isTouched = false
    let high = loop.configuration.bodyBuffer
    let (waiter, isBehind) = shared.withLock { state -> (UnsafeContinuation<Void, Never>?, Bool) in
      defer { state.waiter = nil }
      let behind = state.buffered >= high && !state.hasEnded
      if behind { state.loopWaits = true }
      return (state.waiter, behind)
    }
    if isBehind, !receivePaused, easy != nil {
      pauseReceiving()
      applyPause()
    }
    waiter?.resume()
  }

  /// The reader has room again.
  func resumeReceiving() {
    if sink != nil {
      sinkWaits = false
      pump()
      if failure != nil { return loop.abort(self) }
      if sinkWaits { return }
    }
    guard receivePaused, easy != nil else { return }
    receivePaused = false
    if plan.delivery == .collected, let lane { loop.origins.setPaused(false, plan.origin, lane: lane) }
    lastMotion = loop.now
    applyPause()
  }

  /// Notes that libcurl is to leave the body alone; a collected body keeps others off its connection meanwhile.
  func pauseReceiving() {
    guard !receivePaused else { return }
    receivePaused = true
    if plan.delivery == .collected, let lane { loop.origins.setPaused(true, plan.origin, lane: lane) }
  }

  /// Begins to make the request's body, and goes on with it after each pause.
  func startUpload() {
    guard let upload else { return }
    // While it is paused, libcurl asks for no bytes: what the loop has to do then is nothing.
    pauseObservation = exchange.pause?.observe { [weak self] in if let self { loop.post(.send(self)) } }
    upload.start()
  }

  func stopUpload() {
    pauseObservation = nil
    upload?.stop()
    upload = nil
    file = nil
  }

  /// The request's body can go on: its source has bytes again, or a pause is over.
  func resumeSending() {
    guard easy != nil else { return }
    lastMotion = loop.now
    guard sendPaused else { return }
    sendPaused = false
    applyPause()
  }

  func applyPause() {
    guard let easy else { return }
    let mask = (receivePaused || receivePaced ? CURLPAUSE_RECV : 0) | (sendPaused || sendPaced ? CURLPAUSE_SEND : 0)
    curl_easy_pause(easy, mask)
    if failure != nil { loop.abort(self) }
  }
}
