import CLibcurl
import CurlewCore
import FoundationEssentials
import Glibc
import HTTPTypes

extension Flight {
  static let headerCallback: curlew_data_callback = { bytes, size, count, context in
    guard let context, let bytes else { return 0 }
    let flight = Unmanaged<Flight>.fromOpaque(context).takeUnretainedValue()
    return flight.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
  }

  static let writeCallback: curlew_data_callback = { bytes, size, count, context in
    guard let context, let bytes else { return 0 }
    let flight = Unmanaged<Flight>.fromOpaque(context).takeUnretainedValue()
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
    isCoded = head.isCoded && plan.decodesContent
    endsWithConnection =
      head.endsWithConnection && plan.request.method != .head && head.code != 204 && head.code != 304
    let http2 = head.version == .http2
    metrics.version = head.version
    loop.origins.responded(plan.origin, http2: http2)
    let final = responseHead(head)
    reporter.expected = head.length
    exchange.emit(.responded(final))
    shared.withLock { $0.arrive(final) }
    touch()
  }

  private func responseHead(_ head: HeadParser.Head) -> ResponseHead {
    var length = head.isCoded ? nil : head.length
    if plan.request.method == .head || head.code == 204 || head.code == 304 { length = 0 }
    return ResponseHead(
      url: plan.request.url, status: head.status, version: head.version, headerFields: head.fields,
      expectedLength: length)
  }

  // MARK: Body

  private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard failure == nil else { return Self.refusal }
    guard !bytes.isEmpty else { return 0 }
    lastMotion = loop.now
    if sink != nil { return drain(bytes) }
    // A decoder must not be stopped in the middle of what one read inflates to, so that is taken, up to a limit.
    let limit = loop.configuration.bodyBuffer + (isCoded ? loop.configuration.inflationBuffer : 0)
    let (taken, over) = shared.withLock { state -> (Bool, Bool) in
      if state.buffered >= limit {
        state.loopWaits = true
        return (false, isCoded)
      }
      state.append(bytes)
      return (true, false)
    }
    touch()
    if over {
      fail(
        NetworkError(
          .bufferLimitExceeded, stage: .receivingBody,
          message:
            "The coded body inflates to more than \(loop.configuration.inflationBuffer) bytes at once while its reader is slow."
        ))
      return Self.refusal
    }
    guard taken else {
      receivePaused = true
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
      receivePaused = true
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
      if try sink.receive(bytes) == .wait {
        sinkWaits = true
        shared.withLock { $0.sinkWaits = true }
        touch()
      }
      return true
    } catch {
      fail(
        NetworkError(
          .sinkFailed, stage: .receivingBody, message: "The sink could not take the body.", underlying: error))
      return false
    }
  }

  /// Keeps the longest time the app held the loop's thread.
  func noteCallback(since start: UInt64) {
    let took = Duration.nanoseconds(Int64(clamping: monotonicNanoseconds() &- start))
    if took > metrics.longestCallback { metrics.longestCallback = took }
  }

  static func offset(_ easy: OpaquePointer, _ info: CURLINFO) -> Int64 {
    var value: curl_off_t = 0
    return curlew_get_offset(easy, info, &value) == CURLE_OK ? Int64(value) : 0
  }

  static func number(_ easy: OpaquePointer, _ info: CURLINFO) -> Int {
    var value = 0
    return curlew_get_long(easy, info, &value) == CURLE_OK ? value : 0
  }
}
