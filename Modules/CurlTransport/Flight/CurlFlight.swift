import CLibcurl
import CurlewCore
import FoundationEssentials
import HTTPTypes

/// The state of one request from its submission to its end.
///
/// The waiting task uses only `channel`; all other mutable state belongs to the loop's thread.
// Safe because only the loop's thread uses the mutable state once `submit` has passed the flight to it.
final class CurlFlight: BodyProducer, @unchecked Sendable {
  let plan: SendPlan
  let exchange: Exchange
  let loop: EventLoop
  let channel: BodyChannel

  // State of the loop.
  /// The connection that it made, until its task takes it.
  var made: DuplexConnection?
  /// Moves the bytes of the connection that it made.
  weak var conversation: CurlConversation?
  /// Keeps the loop alive; nil once this flight is over.
  private var keeper: LoopKeeper?
  /// The index in the loop's list of running flights.
  var runningPlace: Int?
  var easy: EasyHandle?
  var parser: HeadParser
  var upload: (any Upload)?
  /// The file with the request's body, once it is open.
  var file: UploadFile?
  /// Observes the end of a pause, if there is an upload.
  private var pauseObservation: PauseSignal.Observation?
  var failure: NetworkError?
  var trustFailure: NetworkError?
  /// Whether the server requested a client identity and received none.
  var lacksIdentity = false
  var queuedAt: UInt64
  var takenOffAt: UInt64 = 0
  var phase = FlightPhase.queued
  var pauses: FlightPauses = []
  var reused: Bool?
  /// Whether HTTP/2 was negotiated on the connection, or is used without negotiation.
  var speaksHTTP2 = false
  var wroteBeforeLoss = false
  /// The lane that selects its connection to the origin; see `HTTP2Lanes`.
  var lane: Int?
  var boardedAt: UInt64 = 0
  /// Whether it gave up a connection of its own for one that was ready.
  var hasMoved = false
  /// Whether it makes a connection although it could share one that another request is making.
  var goesAlone = false
  /// Whether it has opened a socket since it last chose a connection.
  var hasOpenedSocket = false
  /// The code with which the server reset the HTTP/2 stream, if the log shows it; see `FrameLog`.
  var reset: Int?
  /// The proxy's answer to CONNECT; empty without one, which takes less memory than an optional head.
  var connectHeads: [HeadParser.Head] = []
  /// The key of the TLS session that its new connection offered; empty without one, which takes less memory than an optional.
  var offeredSession: [SessionKey] = []
  /// The tag of the current connection; nil for plain `http`.
  var seal: VerifiedTag?
  var receivePacer: Pacer
  var sendPacer: Pacer
  var isTouched = false
  // What is measured before the end. The metrics, which take three times the memory, are made of it then.
  var version: ResponseHead.Version?
  var tlsVersion: String?
  /// The addresses of the connection that it uses.
  var connectionPlace = SocketTable.Place()
  /// The bytes of the body that the reader was given.
  var bytesDelivered: Int64 = 0
  var longestCallback = Duration.zero
  /// The outcome, which the task learns at the end of the loop's turn; nil before the end.
  private var outcome: Result<Void, any Error>?
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

  /// Returns the flight of an easy handle.
  static func of(_ easy: EasyHandle) -> CurlFlight? {
    var context: UnsafeMutablePointer<CChar>?
    guard curlew_get_string(easy, CURLINFO_PRIVATE, &context) == CURLE_OK, let context else { return nil }
    return Unmanaged<CurlFlight>.fromOpaque(UnsafeRawPointer(context)).takeUnretainedValue()
  }

  // MARK: The side of the task

  /// Sends the request and waits for the final head.
  nonisolated(nonsending) func response() async throws -> Response {
    channel.connect(self)
    guard loop.submit(self) else {
      channel.finish(NetworkError.shutDown)
      throw NetworkError.shutDown
    }
    return try await channel.response()
  }

  /// Resumes receiving; may be called from any thread.
  func resumeProducing() { loop.post(.receive(self)) }

  /// Cancels the transfer; may be called from any thread.
  func stopProducing() { loop.post(.cancel(self)) }

  // MARK: The side of the loop

  /// Ends a flight that was never passed to libcurl.
  func end(with error: NetworkError) {
    finish(isCancelled ? CancellationError() : error.with { $0.request = plan.request }, metrics)
  }

  /// Sets the error with which the loop will end this flight; the first one stays.
  func fail(_ error: NetworkError) {
    failure = failure ?? error
    forbidReuse()
  }

  /// Makes libcurl close the connection after this transfer, unless others use it.
  ///
  /// Otherwise libcurl would keep an HTTP/2 connection, and the server would learn that a stream was cancelled only with the
  /// next bytes that libcurl writes there.
  func forbidReuse() { if let easy { curlew_set_long(easy, CURLOPT_FORBID_REUSE, 1) } }

  /// Ends the flight; its exchange gets the metrics now, and its task learns the outcome at the end of the loop's turn.
  ///
  /// So one turn wakes the threads of the tasks once, not once for each flight that ends in it.
  func finish(_ error: (any Error)?, _ metrics: ExchangeMetrics) {
    exchange.record(metrics)
    exchange.emit(.measured(metrics))
    outcome = if let error { .failure(error) } else { .success(()) }
    touch()
  }

  /// Reports the outcome to the waiting task.
  private func report(_ outcome: Result<Void, any Error>) {
    phase.take(.ends)
    let error: (any Error)? = if case .failure(let error) = outcome { error } else { nil }
    channel.finish(error, trailers: parser.trailers.isEmpty ? nil : parser.trailers)
    keeper = nil
  }

  /// Hands over what keeps the loop alive.
  func releaseKeeper() -> LoopKeeper? {
    defer { keeper = nil }
    return keeper
  }

  /// Marks the reader to be woken at the end of the loop's current turn.
  func touch() {
    guard !isTouched else { return }
    isTouched = true
    loop.touch(self)
  }

  /// Wakes the reader, or tells it the outcome, and pauses receiving when it is too slow.
  func flush() {
    isTouched = false
    if let outcome { return report(outcome) }
    guard channel.flush() == .pause, !pauses.contains(.reader), easy != nil else { return }
    pauseReceiving()
    applyPause()
  }

  /// Resumes receiving after the reader's pause.
  func resumeReceiving() {
    guard pauses.contains(.reader), easy != nil else { return }
    pauses.remove(.reader)
    if plan.delivery == .collected, let lane { loop.origins.setPaused(false, plan.origin, lane: lane) }
    lastMotion = loop.now
    applyPause()
  }

  /// Records that receiving is paused.
  ///
  /// Meanwhile a collected body keeps other requests off its connection.
  func pauseReceiving() {
    guard pauses.insert(.reader).inserted else { return }
    if plan.delivery == .collected, let lane { loop.origins.setPaused(true, plan.origin, lane: lane) }
  }

  /// Starts to produce the request's body, and resumes it after each pause.
  func startUpload() {
    guard let upload else { return }
    // While the request is paused, libcurl asks for no bytes, so the loop has nothing to do when a pause begins.
    pauseObservation = exchange.pause?.observe { [weak self] in if let self { loop.post(.send(self)) } }
    upload.start()
  }

  func stopUpload() {
    pauseObservation = nil
    upload?.stop()
    upload = nil
    file = nil
  }

  /// Resumes the request's body: its source has bytes again, or a pause is over.
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

/// The timeouts that the loop checks, because libcurl does not always do so.
extension CurlFlight {
  /// The time of the next timeout that the loop checks; nil without one.
  var deadline: UInt64? {
    var idle = plan.limits.idle.map { lastMotion &+ $0 }
    if let due = phase.continueDue { idle = min(idle ?? .max, due) }
    return phase.isConnected ? idle : min(idle ?? .max, takenOffAt &+ plan.limits.toBegin)
  }

  /// Returns the time of the next timeout, after asking libcurl for its progress.
  ///
  /// libcurl reports the bytes that it sends only when asked. Time during which the request is paused does not count as idle.
  func observedDeadline(at now: UInt64) -> UInt64? {
    // Without a handle, a file is still being opened.
    guard let easy else { return deadline }
    if let due = phase.continueDue, due <= now { endAwaitingContinue() }
    if plan.limits.idle != nil {
      let bytes = Self.offset(easy, CURLINFO_SIZE_UPLOAD_T)
      if bytes != lastSeenBytes || !pauses.isEmpty || isUploadPaused || channel.isFull {
        lastSeenBytes = bytes
        lastMotion = now
      }
    }
    return deadline
  }

  /// Whether a request with a body is paused, even after all of its body was sent.
  private var isUploadPaused: Bool { upload != nil && exchange.pause?.isPaused == true }

  /// A space and the path of the request's file; empty if it has none.
  private var fileName: String {
    if case .file(let region) = plan.request.body.source { " \(region.path)" } else { "" }
  }

  /// Fails the flight with the error of the timeout that passed.
  func failLate(at now: UInt64) {
    guard easy != nil else {
      return fail(
        NetworkError(
          .fileError, stage: .sending,
          message: "The body's file\(fileName) could not be opened in time: its disk does not answer."
        ))
    }
    if !phase.isConnected, takenOffAt &+ plan.limits.toBegin <= now {
      return fail(FailureTable(self, CURLE_OPERATION_TIMEDOUT).error)
    }
    fail(.timeout(.idleTimedOut, stage: phase.stage, of: plan.limits.timeouts))
  }
}

/// The reasons why libcurl currently moves no bytes of a transfer.
struct FlightPauses: OptionSet, Sendable, Hashable {
  let rawValue: UInt8

  /// The reader of the response is too slow.
  static let reader = FlightPauses(rawValue: 1 << 0)
  /// The request's body has no bytes, waits for `100 Continue`, or is paused.
  static let upload = FlightPauses(rawValue: 1 << 1)
  /// The response exceeded its rate limit.
  static let receiveLimit = FlightPauses(rawValue: 1 << 2)
  /// The request's body exceeded its rate limit.
  static let sendLimit = FlightPauses(rawValue: 1 << 3)

  /// The pauses that end after some time, without an event.
  static let limits: FlightPauses = [.receiveLimit, .sendLimit]

  /// The paused directions, as a mask for `curl_easy_pause`.
  var mask: Int32 {
    (isDisjoint(with: [.reader, .receiveLimit]) ? 0 : CURLPAUSE_RECV)
      | (isDisjoint(with: [.upload, .sendLimit]) ? 0 : CURLPAUSE_SEND)
  }
}

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
