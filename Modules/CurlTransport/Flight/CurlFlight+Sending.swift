import CLibcurl
import COpenSSL
import CurlewCore
import Glibc

extension CurlFlight {
  static let readCallback: curlew_data_callback = { buffer, size, count, context in
    guard let context, let buffer else { return Int(CURL_READFUNC_ABORT) }
    let flight = Unmanaged<CurlFlight>.fromOpaque(context).takeUnretainedValue()
    return flight.send(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
  }

  static let prereqCallback: curlew_prereq_callback = { context, remote, local, remotePort, localPort in
    guard let context else { return CURL_PREREQFUNC_ABORT }
    let flight = Unmanaged<CurlFlight>.fromOpaque(context).takeUnretainedValue()
    flight.connectionPlace.remote = remote.map { flight.loop.remoteAddress($0, remotePort) }
    flight.connectionPlace.local = local.map { flight.loop.localAddress($0, localPort) }
    return flight.mayUseConnection(from: Int32(localPort)) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
  }

  static let openCallback: curlew_open_callback = { context, _, address in
    guard let context, let address else { return -1 }
    return Unmanaged<CurlFlight>.fromOpaque(context).takeUnretainedValue().openSocket(address)
  }

  // MARK: The check before sending

  /// Opens a socket for the request's connection, unless the request was sent before.
  ///
  /// libcurl would then make a whole new connection before it asks whether it may send the request again.
  private func openSocket(_ address: UnsafePointer<curl_sockaddr>) -> Int32 {
    guard !phase.isConnected else {
      fail(repetition)
      return -1
    }
    beginExtending()
    return loop.sockets.open(address)
  }

  /// Checks the chosen connection before libcurl writes request bytes to it.
  ///
  /// libcurl calls it before each of its own attempts, including those that it does not report.
  private func mayUseConnection(from port: Int32) -> Bool {
    guard let easy else { return false }
    guard phase.take(.connects) else {
      fail(repetition)
      return false
    }
    let ssl = plan.trust == nil ? nil : curlew_get_ssl(easy).map { OpaquePointer($0) }
    seal = ssl.flatMap { VerifiedTag.of($0) }
    tlsVersion = ssl.map { String(cString: SSL_get_version($0)) }
    speaksHTTP2 = ssl.map { VerifiedTag.speaksHTTP2($0) } ?? (plan.trust == nil && plan.version == .priorKnowledge)
    if let trust = plan.trust, loop.configuration.trustLocks.contains(.gate), let refusal = trust.gate(seal) {
      fail(.refused(refusal))
      return false
    }
    if speaksHTTP2, plan.mayBeRefused { logFrames() }
    reused = Self.number(easy, CURLINFO_NUM_CONNECTS) == 0
    if reused == false {
      if let ssl {
        Handshake.keepSession(of: ssl)
        exchange.emit(VerifiedTag.event(of: ssl))
      }
      noteConnection(easy, port: port)
    } else if isStale(ssl) || lane.map({ loop.origins.isRetired(plan.origin, lane: $0) }) == true {
      fail(staleConnection)
      return false
    } else if plan.trust == nil, speaksHTTP2 {
      adoptConnection()
    }
    seal?.isResting = false
    if let reused { exchange.emit(.connected(reused: reused)) }
    lastMotion = loop.now
    if plan.expectsContinue, upload != nil { awaitContinue() }
    return true
  }

  /// Records the connection that was made for this request.
  private func noteConnection(_ easy: EasyHandle, port: Int32) {
    guard let lane else { return }
    let connection = SocketTable.Connection(
      place: connectionPlace, origin: plan.origin, lane: lane,
      generation: loop.origins.generation(plan.origin, lane: lane), isHTTP2: speaksHTTP2)
    loop.sockets.note(connection, of: easy, port: port)
    guard speaksHTTP2 else { return loop.origins.extendedInVain(plan.origin, lane: lane) }
    // One that was made for another reason says nothing about how many requests the others take.
    let isOverflow = !plan.isFresh && !goesAlone && loop.sockets.hasOther(than: connection)
    let others = isOverflow ? loop.countConnected(on: lane, plan.origin) - 1 : 0
    loop.origins.connected(plan.origin, lane: lane, from: connectionPlace.local, at: loop.now, others: others)
  }

  /// Makes its lane that of a reused connection, which libcurl chose by the origin alone.
  private func adoptConnection() {
    guard let lane, let descriptor = loop.sockets.descriptor(at: connectionPlace) else { return }
    loop.sockets.connections[descriptor]?.lane = lane
    loop.sockets.connections[descriptor]?.generation = loop.origins.generation(plan.origin, lane: lane)
  }

  /// Whether bytes arrived on a kept HTTP/1.1 connection before the request.
  ///
  /// libcurl does not check this, or took the connection for alive. Bytes that TLS has already read are checked before every
  /// request. The loop watches the socket up to its last call of epoll, so the socket itself is checked again only for a
  /// request that must not be sent twice.
  private func isStale(_ ssl: OpaquePointer?) -> Bool {
    if let ssl {
      // Over HTTP/2, frames of other streams may be waiting.
      guard let seal, seal.isResting else { return false }
      if SSL_has_pending(ssl) != 0 { return true }
    } else if plan.version == .priorKnowledge {
      return false
    }
    guard !plan.request.isIdempotent || !plan.request.body.isReplayable else { return false }
    return loop.sockets.descriptor(at: connectionPlace).map { SocketTable.isUsed($0) } ?? false
  }

  // MARK: 100 Continue

  /// Holds the body until `100 Continue` or a timeout (RFC 9110 §10.1.1).
  private func awaitContinue() {
    let wait = loop.configuration.continueWait.components
    let nanoseconds = UInt64(wait.seconds) * 1_000_000_000 + UInt64(wait.attoseconds / 1_000_000_000)
    phase.take(.awaitsContinue(until: loop.now &+ nanoseconds))
    loop.scheduleCheck(self)
  }

  /// Sends the body: the server has answered, or the time to wait has passed.
  ///
  /// If the answer is final, libcurl may drop the body.
  func endAwaitingContinue() {
    guard phase.take(.continues) else { return }
    // Posted, because libcurl must not be called from its own callbacks.
    if pauses.contains(.upload) { loop.post(.send(self)) }
  }

  // MARK: The body

  private func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let upload else { return 0 }
    if phase.continueDue != nil || exchange.pause.map(\.isPaused) ?? false {
      pauses.insert(.upload)
      return Int(CURL_READFUNC_PAUSE)
    }
    if mustPaceSending() { return Int(CURL_READFUNC_PAUSE) }
    let buffer = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(sendPacer.piece ?? buffer.count))
    loop.sockets.uploadMotion &+= 1
    lastMotion = loop.now
    switch upload.read(into: buffer) {
    case .bytes(let count):
      sendPacer.moved(count, at: loop.now)
      if exchange.isObserved, let easy {
        reporter.sent(payload(of: Self.offset(easy, CURLINFO_SIZE_UPLOAD_T)), of: upload.length, at: lastMotion)
      }
      return count
    case .end: return 0
    case .wait:
      pauses.insert(.upload)
      return Int(CURL_READFUNC_PAUSE)
    case .failed(let error):
      fail(error)
      return Int(CURL_READFUNC_ABORT)
    }
  }

  /// Returns the body's share of the bytes that libcurl says it wrote.
  ///
  /// Over HTTP/1.1 that number includes chunk framing.
  func payload(of written: Int64) -> Int64 {
    guard let upload else { return min(written, plan.request.body.length ?? written) }
    let isFramed = version != .http2 && !loop.origins.speaksHTTP2(plan.origin)
    return isFramed ? upload.payload(of: written) : written
  }
}

/// Converts addresses and ports to text, and caches the last one.
///
/// All requests on a connection have the same address.
struct AddressText {
  private var host: [CChar] = []
  private var port: Int32 = 0
  private var text = ""

  mutating func callAsFunction(_ host: UnsafePointer<CChar>, _ port: Int32) -> String {
    if port == self.port, !self.host.isEmpty, strcmp(host, self.host) == 0 { return text }
    let name = String(cString: host)
    text = name.utf8.contains(UInt8(ascii: ":")) ? "[\(name)]:\(port)" : "\(name):\(port)"
    self.host = Array(UnsafeBufferPointer(start: host, count: strlen(host) + 1))
    self.port = port
    return text
  }
}
