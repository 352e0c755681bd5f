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

  /// The return value with which a callback ends its transfer.
  private static let refusal = 0

  // MARK: Heads

  private func receiveHeader(_ line: UnsafeRawBufferPointer) -> Int {
    guard failure == nil else { return Self.refusal }
    lastMotion = loop.now
    switch parser.take(line) {
    case .more: break
    case .informational(let head):
      guard isNegotiated(head.version) else { return refuseVersion() }
      guard phase.isConnected else { break }
      if head.code == 100 { endAwaitingContinue() }
      exchange.emit(.informational(responseHead(head)))
    case .final(let head):
      guard isNegotiated(head.version) else { return refuseVersion() }
      // A head before the request was sent is the proxy's answer to CONNECT.
      if !phase.isConnected {
        connectHeads = [head]
        parser = HeadParser(loop.headLimits)
      } else {
        receiveFinal(head)
      }
    case .failed(let kind, let message):
      fail(NetworkError(kind, stage: phase.stage, message: message))
      return Self.refusal
    }
    return line.count
  }

  /// Whether a head has the version of its connection.
  ///
  /// A status line can name HTTP/2 over HTTP/1.1, which some versions of libcurl believe: they then check the connection for
  /// early bytes as little as an HTTP/2 connection.
  private func isNegotiated(_ version: ResponseHead.Version) -> Bool {
    (version == .http2) == (phase.isConnected && speaksHTTP2)
  }

  private func refuseVersion() -> Int {
    fail(
      NetworkError(
        .protocolViolation, stage: phase.stage,
        message: "The status line names HTTP/2, which was not negotiated on this connection."))
    return Self.refusal
  }

  private func receiveFinal(_ head: HeadParser.Head) {
    endAwaitingContinue()
    phase.take(.responds(until: mayHaveBody(head) ? head.bodyEnd : .head))
    let http2 = head.version == .http2
    version = head.version
    loop.origins.responded(plan.origin, http2: http2, lane: lane, to: connectionPlace.local, at: loop.now)
    // Only the last frame of the stream shows that the body is complete.
    if http2, head.length == nil, mayHaveBody(head) { loop.logFrames(of: self) }
    let final = responseHead(head)
    reporter.expected = head.length
    if exchange.isObserved { reportUpload() }
    exchange.emit(.responded(final))
    channel.setHead(final)
    touch()
  }

  /// Whether the response can have a body (RFC 9110 §6.4.1).
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
    guard phase.allows(bytesDelivered + Int64(bytes.count)) else {
      fail(
        NetworkError(
          .protocolViolation, stage: phase.stage,
          message: "The body is longer than its head allows, and none may follow HEAD, 204 and 304."))
      return Self.refusal
    }
    if mustPaceReceiving() { return Int(CURL_WRITEFUNC_PAUSE) }
    let taken = take(bytes)
    if taken == bytes.count { receivePacer.moved(taken, at: loop.now) }
    return taken
  }

  private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    lastMotion = loop.now
    let (demand, isBuffered) = channel.putLater(bytes)
    if isBuffered { touch() }
    switch demand {
    case .more: break
    case .pause:
      pauseReceiving()
      limitReading()
      return Int(CURL_WRITEFUNC_PAUSE)
    case .gone:
      // The connection is closed, so that the server sees that an HTTP/2 stream was cancelled.
      fail(NetworkError(.sinkFailed, stage: .receivingBody, message: "The sink of the body failed."))
      return Self.refusal
    }
    bytesDelivered += Int64(bytes.count)
    if exchange.isObserved, let easy { reporter.received(Self.offset(easy, CURLINFO_SIZE_DOWNLOAD_T), at: lastMotion) }
    return bytes.count
  }

  /// Has libcurl read no more at once than it hands over, if bytes pile up in it.
  ///
  /// libcurl 8.14 reads from the socket once after each resumption, even if it hands over a single piece of at most 16 kB and is
  /// paused again. With a larger buffer it would come to hold most of the body of a reader that pauses after each piece.
  private func limitReading() {
    guard let easy else { return }
    let held = Self.offset(easy, CURLINFO_SIZE_DOWNLOAD_T) - bytesDelivered
    guard held > Self.largeBuffer else { return }
    curlew_set_long(easy, CURLOPT_BUFFERSIZE, Self.smallBuffer)
  }

  /// Records the longest time for which the app's code blocked the loop's thread.
  func noteCallback(since start: UInt64) {
    let took = Duration.nanoseconds(Int64(clamping: monotonicNanoseconds() &- start))
    longestCallback = max(longestCallback, took)
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
