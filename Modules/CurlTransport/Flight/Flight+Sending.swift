import CLibcurl
import CurlewCore

extension Flight {
  static let readCallback: curlew_data_callback = { buffer, size, count, context in
    guard let context, let buffer else { return Int(CURL_READFUNC_ABORT) }
    let flight = Unmanaged<Flight>.fromOpaque(context).takeUnretainedValue()
    return flight.send(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
  }

  static let prereqCallback: curlew_prereq_callback = { context, remote, local, remotePort, localPort in
    guard let context else { return CURL_PREREQFUNC_ABORT }
    let flight = Unmanaged<Flight>.fromOpaque(context).takeUnretainedValue()
    flight.metrics.remoteAddress = remote.map { flight.loop.remoteAddress($0, remotePort) }
    flight.metrics.localAddress = local.map { flight.loop.localAddress($0, localPort) }
    return flight.mayUseConnection() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
  }

  // MARK: The gate

  /// The last look before request bytes go out: libcurl calls it before each of its own attempts, the silent ones too.
  private func mayUseConnection() -> Bool {
    guard let easy else { return false }
    prereqCalls += 1
    guard prereqCalls == 1 else {
      // libcurl lost the connection and would send again without asking; that is for Loader to decide. Behind a head
      // it is a 417 it would answer by itself: the 417 is the response.
      if sawHead { wasRefusedExpectation = true } else { fail(lostConnection()) }
      return false
    }
    if plan.trust != nil { seal = curlew_get_ssl(easy).flatMap { Seal.of(OpaquePointer($0)) } }
    if let trust = plan.trust, loop.configuration.trustLocks.contains(.gate), let refusal = trust.gate(seal) {
      fail(.refused(refusal))
      return false
    }
    reused = Self.number(easy, CURLINFO_NUM_CONNECTS) == 0
    if let reused { exchange.emit(.connected(reused: reused)) }
    lastMotion = loop.now
    return true
  }

  // MARK: The body

  private func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let upload else { return 0 }
    loop.sockets.uploadMotion &+= 1
    lastMotion = loop.now
    switch upload.read(into: buffer) {
    case .bytes(let count):
      if exchange.isObserved, let easy {
        reporter.sent(payload(of: Self.offset(easy, CURLINFO_SIZE_UPLOAD_T)), of: upload.length, at: lastMotion)
      }
      return count
    case .end: return 0
    case .wait:
      sendPaused = true
      return Int(CURL_READFUNC_PAUSE)
    case .failed(let error):
      fail(error)
      return Int(CURL_READFUNC_ABORT)
    }
  }

  /// The body's share of what libcurl says it wrote: over HTTP/1.1 it counts chunk framing.
  func payload(of written: Int64) -> Int64 {
    guard let upload else { return min(written, plan.request.body.length ?? written) }
    let isFramed = metrics.version != .http2 && !loop.origins.speaksHTTP2(plan.origin)
    return isFramed ? upload.payload(of: written) : written
  }

  // MARK: Idle time

  /// When this flight would have been idle too long; nil when it has no such limit.
  var idleDue: UInt64? { plan.limits.idle.map { lastMotion &+ $0 } }

  /// The same after a look at what libcurl sent by itself; time in which Curlew paused it does not count.
  func observeIdle(at now: UInt64) -> UInt64? {
    guard plan.limits.idle != nil, let easy else { return nil }
    let bytes = Self.offset(easy, CURLINFO_SIZE_UPLOAD_T)
    if bytes != lastSeenBytes || receivePaused || sendPaused || sinkWaits {
      lastSeenBytes = bytes
      lastMotion = now
    }
    return idleDue
  }

  func failIdle() {
    let stage: NetworkError.Stage = sawHead ? .receivingBody : prereqCalls > 0 ? .awaitingHead : .connecting
    fail(NetworkError(.idleTimedOut, stage: stage, message: "No byte came or went for too long."))
  }
}
