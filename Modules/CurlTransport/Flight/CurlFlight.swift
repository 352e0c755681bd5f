import CLibcurl
import CurlewCore
import FoundationEssentials
import HTTPTypes

/// One request on its way: what the waiting task sees of it, and what the loop does with it.
///
/// The waiting task sees its `channel` only; all mutable state here belongs to the loop's thread. Accesses that nothing can
/// overlap, since what is called in them knows no flight, go unchecked.
// Safe because what changes is touched by the loop's thread only, once `submit` handed the flight over.
final class CurlFlight: BodyProducer, @unchecked Sendable {
  let plan: SendPlan
  let exchange: Exchange
  let loop: EventLoop
  let channel: BodyChannel

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
  var phase = FlightPhase.queued
  var pauses: FlightPauses = []
  var reused: Bool?
  var wroteBeforeLoss = false
  /// Which connection of the origin's it may share; see `HTTP2Lanes`.
  var lane: Int?
  /// How the server reset the HTTP/2 stream, where its error code does not tell.
  var reset: StreamReset?
  /// A proxy's answer to CONNECT.
  var connectHead: KnownHead?
  /// The mark of the connection it is on; nil for plain `http`.
  var seal: VerifiedTag?
  var receivePacer: Pacer
  var sendPacer: Pacer
  var isTouched = false
  var lastMotion: UInt64 = 0
  var lastSeenBytes: Int64 = 0
  var reporter: ProgressReporter
  var errorText: UnsafeMutablePointer<CChar>?
  var connectTo: UnsafeMutablePointer<curl_slist>?
  var proxyFields: UnsafeMutablePointer<curl_slist>?

  init(_ plan: SendPlan, exchange: Exchange, _ keeper: LoopKeeper) {
    self.plan = plan
    self.exchange = exchange
    self.keeper = keeper
    loop = keeper.loop
    channel = BodyChannel(pausingFrom: loop.configuration.bodyBuffer)
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

  var isCancelled: Bool { channel.isCancelled }

  /// The flight of an easy handle.
  static func of(_ easy: EasyHandle) -> CurlFlight? {
    var context: UnsafeMutablePointer<CChar>?
    guard curlew_get_string(easy, CURLINFO_PRIVATE, &context) == CURLE_OK, let context else { return nil }
    return Unmanaged<CurlFlight>.fromOpaque(UnsafeRawPointer(context)).takeUnretainedValue()
  }

  // MARK: The task's side

  /// Sends the request and waits for the final head.
  nonisolated(nonsending) func response() async throws -> Response {
    channel.connect(self)
    guard loop.submit(self) else {
      channel.finish(NetworkError.shutDown)
      throw NetworkError.shutDown
    }
    return try await channel.response()
  }

  /// The reader has room again; called from any thread.
  func resumeProducing() { loop.post(.receive(self)) }

  /// The reader gave up; called from any thread.
  func stopProducing() { loop.post(.cancel(self)) }

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
    phase.take(.ends)
    channel.finish(error, trailers: parser.trailers.isEmpty ? nil : parser.trailers)
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
    guard channel.flush() == .pause, !pauses.contains(.reader), easy != nil else { return }
    pauseReceiving()
    applyPause()
  }

  /// The reader has room again.
  func resumeReceiving() {
    guard pauses.contains(.reader), easy != nil else { return }
    pauses.remove(.reader)
    if plan.delivery == .collected, let lane { loop.origins.setPaused(false, plan.origin, lane: lane) }
    lastMotion = loop.now
    applyPause()
  }

  /// Notes that libcurl is to leave the body alone; a collected body keeps others off its connection meanwhile.
  func pauseReceiving() {
    guard pauses.insert(.reader).inserted else { return }
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
    guard pauses.remove(.upload) != nil else { return }
    applyPause()
  }

  func applyPause() {
    guard let easy else { return }
    curl_easy_pause(easy, pauses.mask)
    if failure != nil { loop.abort(self) }
  }
}
