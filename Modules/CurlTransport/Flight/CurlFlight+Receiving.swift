import CLibcurl
import CurlewCore
import FoundationEssentials
import Glibc
import HTTPTypes

extension CurlFlight {
  static let headerCallback: curlew_data_callback = { bytes, size, count, context in
    guard let context, let bytes else { return 0 }
    let flight = Unmanaged<CurlFlight>.fromOpaque(context).takeUnretainedValue()
    return flight.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
  }

  static let writeCallback: curlew_data_callback = { bytes, size, count, context in
    guard let context, let bytes else { return 0 }
    let flight = Unmanaged<CurlFlight>.fromOpaque(context).takeUnretainedValue()
    return flight.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
  }

  /// What a callback returns to end its transfer.
  private static let refusal = 0

  // MARK: Heads

  private func receiveHeader(_ line: UnsafeRawBufferPointer) -> Int {
    guard failure == nil else { return Self.refusal }
    lastMotion = loop.now
    switch parser.take(line, &loop.known) {
    case .more: break
    case .informational(let head):
      guard prereqCalls > 0 else { break }
      if head.code == 100 { endAwaitingContinue() }
      exchange.emit(.informational(responseHead(head)))
    case .final(let head):
      // Before the request was sent, it is the proxy's answer to CONNECT.
      if prereqCalls == 0 {
        connectHead = KnownHead([], head)
        parser = HeadParser(loop.headLimits)
      } else {
        receiveFinal(head)
      }
    case .failed(let kind, let message):
      fail(NetworkError(kind, stage: .awaitingHead, message: message))
      return Self.refusal
    }
    return line.count
  }

  private func receiveFinal(_ head: HeadParser.Head) {
    sawHead = true
    endAwaitingContinue()
    endsWithConnection = head.endsWithConnection && mayHaveBody(head)
    let http2 = head.version == .http2
    metrics.version = head.version
    loop.origins.responded(plan.origin, http2: http2)
    // Nothing but the stream's last frame says that the body is whole.
    if http2, head.length == nil, mayHaveBody(head) { loop.logFrames(of: self) }
    let final = responseHead(head)
    reporter.expected = head.length
    if exchange.isObserved { reportUpload() }
    exchange.emit(.responded(final))
    shared.withLock { $0.arrive(final) }
    touch()
  }

  /// RFC 9110 §6.4.1.
  private func mayHaveBody(_ head: HeadParser.Head) -> Bool {
    plan.request.method != .head && head.code != 204 && head.code != 304
  }

  private func responseHead(_ head: HeadParser.Head) -> ResponseHead {
    var length = head.length
    if !mayHaveBody(head) { length = 0 }
    return ResponseHead(
      url: plan.request.url, status: head.status, version: head.version, headerFields: head.fields,
      expectedLength: length)
  }

  // MARK: Body

  private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard failure == nil else { return Self.refusal }
    guard !bytes.isEmpty else { return 0 }
    if mustPaceReceiving() { return Int(CURL_WRITEFUNC_PAUSE) }
    let taken = take(bytes)
    if taken == bytes.count { receivePacer.moved(taken, at: loop.now) }
    return taken
  }

  private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    lastMotion = loop.now
    if sink != nil { return drain(bytes) }
    let limit = loop.configuration.bodyBuffer
    let taken = shared.withLock { state -> Bool in
      if state.buffered >= limit {
        state.loopWaits = true
        return false
      }
      state.append(bytes)
      return true
    }
    touch()
    guard taken else {
      pauseReceiving()
      return Int(CURL_WRITEFUNC_PAUSE)
    }
    metrics.bytesDelivered += Int64(bytes.count)
    if exchange.isObserved, let easy { reporter.received(Self.offset(easy, CURLINFO_SIZE_DOWNLOAD_T), at: lastMotion) }
    return bytes.count
  }

  // MARK: Draining

  /// A sink takes over: first what is buffered, then what comes.
  func beginDraining() {
    let (sink, waiting) = shared.withLock { state in (state.sink, state.sink.map { _ in state.takeBuffer() }) }
    guard let sink, let waiting, easy != nil else { return }
    self.sink = sink
    undrained = waiting
    pump()
    if failure != nil { return loop.abort(self) }
    if receivePaused, !sinkWaits { resumeReceiving() }
  }

  /// Hands buffered bytes to the sink for as long as it takes them.
  func pump() {
    guard let sink else { return }
    while failure == nil, !sinkWaits, let chunk = undrained.popFirst() {
      _ = chunk.withUnsafeBytes { hand($0, to: sink) }
    }
  }

  private func drain(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard let sink else { return Self.refusal }
    if sinkWaits {
      pauseReceiving()
      return Int(CURL_WRITEFUNC_PAUSE)
    }
    guard hand(bytes, to: sink) else { return Self.refusal }
    metrics.bytesDelivered += Int64(bytes.count)
    if exchange.isObserved, let easy { reporter.received(Self.offset(easy, CURLINFO_SIZE_DOWNLOAD_T), at: lastMotion) }
    return bytes.count
  }

  /// Gives bytes to a sink and measures how long it held the thread.
  private func hand(_ bytes: UnsafeRawBufferPointer, to sink: any BodySink) -> Bool {
    let start = monotonicNanoseconds()
    defer { noteCallback(since: start) }
    do {
      if try sink.receive(bytes) == .pause {
        sinkWaits = true
        shared.withLock { $0.sinkWaits = true }
        touch()
      }
      return true
    } catch {
      sinkFailure = error
      fail(NetworkError(.sinkFailed, stage: .receivingBody, message: "The sink could not take the body."))
      return false
    }
  }

  /// Keeps the longest time the app held the loop's thread.
  func noteCallback(since start: UInt64) {
    let took = Duration.nanoseconds(Int64(clamping: monotonicNanoseconds() &- start))
    if took > metrics.longestCallback { metrics.longestCallback = took }
  }

  static func offset(_ easy: EasyHandle, _ info: CURLINFO) -> Int64 {
    var value: curl_off_t = 0
    return curlew_get_offset(easy, info, &value) == CURLE_OK ? Int64(value) : 0
  }

  static func number(_ easy: EasyHandle, _ info: CURLINFO) -> Int {
    var value = 0
    return curlew_get_long(easy, info, &value) == CURLE_OK ? value : 0
  }
}
