import CLinux
import Glibc

/// One connected socket on an event loop: bytes that arrived, bytes that wait to go, and TLS between them where asked.
///
/// Touched on the loop's thread only.
package final class Wire: EventLoop.Source {
  /// Who is told what happens. All calls come on the loop's thread.
  ///
  /// The wire may be closed inside them.
  package protocol Owner: AnyObject {
    /// Bytes arrived in `input`, or the peer ended its side, or all output was taken by the kernel.
    func wireChanged(_ wire: Wire)
    /// The TLS handshake is done.
    func wireSecured(_ wire: Wire, _ session: OriginTLSSession)
    /// The wire is closed; called exactly once.
    func wireClosed(_ wire: Wire)
  }

  package let loop: EventLoop
  package let descriptor: Int32
  package weak var owner: (any Owner)?
  /// Plain bytes that arrived and were not taken yet.
  package var input = ByteQueue()
  /// The peer will send nothing more.
  package private(set) var sawEnd = false
  /// The peer closed its side, whether or not what it sent before was read.
  package private(set) var peerLeft = false
  package private(set) var isClosed = false
  /// The connection is still being made.
  package private(set) var isConnecting = false
  /// Bytes the kernel took, and gave, TLS included.
  package private(set) var bytesSent: Int64 = 0
  package private(set) var bytesReceived: Int64 = 0
  private var output = ByteQueue()
  private var pace: Pace?
  private var isPacing = false
  private var isReading = true
  private var isBlocked = false
  private var tls: TLSSession?
  /// The handshake is to wait, with what the client sent left in the kernel.
  private var isHeld = false
  private var cutAfter: Int64?
  /// What was sent before the handshake was done.
  private var early = ByteQueue()
  private var registration: UInt64?
  private var interest: UInt32 = 0

  /// Takes over a connected, non-blocking descriptor.
  package init(_ descriptor: Int32, on loop: EventLoop) {
    self.loop = loop
    self.descriptor = descriptor
  }

  /// Begins to watch the socket. False when the system refuses.
  ///
  /// The wire is closed then.
  package func begin(connecting: Bool = false) -> Bool {
    isConnecting = connecting
    isBlocked = connecting
    interest = wantedEvents
    registration = loop.add(self, descriptor: descriptor, events: interest)
    if registration == nil { close() }
    return registration != nil
  }

  // MARK: TLS

  /// Expects a handshake before anything else. Before `begin`.
  package func secure(_ session: TLSSession, _ handshake: OriginTLS.Handshake) {
    tls = session
    switch handshake {
    case .prompt: return
    case .delayed(let duration):
      isHeld = true
      loop.schedule(after: duration) { [weak self] in
        guard let self, !isClosed else { return }
        isHeld = false
        updateInterest()
      }
    case .slow(let rate): limit(bytesPerSecond: rate)
    case .cut(let bytes): cutAfter = Int64(max(0, bytes))
    case .stalled: isHeld = true
    }
  }

  /// Takes what arrived through TLS. The connection ends when the peer breaks the protocol.
  private func decrypt(_ bytes: UnsafeRawBufferPointer, _ tls: TLSSession) {
    tls.feed(bytes)
    if !tls.isEstablished {
      let progress = tls.handshake()
      tls.drain(into: &output)
      _ = flush()
      guard !isClosed else { return }
      switch progress {
      case .underway: return
      case .failed: return close()
      case .done:
        cutAfter = nil
        limit(bytesPerSecond: nil)
        owner?.wireSecured(self, tls.summary)
        let waiting = early.take(early.count)
        if !waiting.isEmpty { send(waiting) }
      }
    }
    guard tls.read(into: &input, by: loop.scratch) else { return close() }
    tls.drain(into: &output)
    if tls.sawCloseNotify {
      sawEnd = true
      peerLeft = true
      updateInterest()
    }
  }

  // MARK: Sending

  /// How many bytes wait for the kernel to take them.
  package var unsent: Int { output.count }

  package func send(_ bytes: [UInt8]) {
    guard let tls else { return output.append(bytes) }
    guard tls.isEstablished else { return early.append(bytes) }
    bytes.withUnsafeBytes { tls.write($0) }
    tls.drain(into: &output)
  }

  package func send(_ text: String) { send([UInt8](text.utf8)) }

  /// Sends `count` bytes that `fill` writes in place.
  ///
  /// At most as many as the loop's scratch buffer holds.
  package func send(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
    guard let tls else { return output.append(count: count, fill: fill) }
    let room = UnsafeMutableRawBufferPointer(rebasing: loop.scratch.prefix(count))
    fill(room)
    tls.write(UnsafeRawBufferPointer(room))
    tls.drain(into: &output)
  }

  /// At most this many bytes a second from now on; nil for no limit.
  package func limit(bytesPerSecond: Int?) {
    pace = bytesPerSecond.map { Pace(bytesPerSecond: $0, now: monotonicNow()) }
  }

  /// Hands waiting bytes to the kernel; true when all are gone.
  package func flush() -> Bool {
    while !output.isEmpty, !isClosed {
      var share = output.count
      if var pace {
        share = min(share, pace.allowed(at: monotonicNow()))
        self.pace = pace
        guard share > 0 else {
          waitForPace(pace.delay)
          return false
        }
      }
      if let cutAfter {
        share = Int(min(Int64(share), cutAfter - bytesSent))
        guard share > 0 else {
          close()
          return false
        }
      }
      switch output.withBytes({ Socket.send(descriptor, UnsafeRawBufferPointer(rebasing: $0.prefix(share))) }) {
      case .bytes(let count):
        bytesSent += Int64(count)
        pace?.spend(count)
        output.discard(count)
      case .wouldBlock, .end:
        setBlocked(true)
        return false
      case .failed:
        close()
        return false
      }
    }
    if isBlocked { setBlocked(false) }
    return !isClosed
  }

  private func waitForPace(_ delay: Duration) {
    guard !isPacing else { return }
    isPacing = true
    loop.schedule(after: delay) { [weak self] in
      guard let self, !isClosed else { return }
      isPacing = false
      if flush() { owner?.wireChanged(self) }
    }
  }

  // MARK: Receiving

  /// Reads on, or leaves what arrives in the kernel, so that the peer is slowed.
  package func setReading(_ reading: Bool) {
    guard isReading != reading else { return }
    isReading = reading
    updateInterest()
  }

  private func setBlocked(_ blocked: Bool) {
    isBlocked = blocked
    updateInterest()
  }

  private var wantedEvents: UInt32 {
    var events: UInt32 = 0
    let reads = isReading && !isHeld
    if reads, !sawEnd { events |= EPOLLIN.rawValue }
    // A peer that leaves while nobody reads must still be noticed, or a stalled reply would stay for ever.
    if !reads, !peerLeft { events |= EPOLLRDHUP.rawValue }
    if isBlocked { events |= EPOLLOUT.rawValue }
    return events
  }

  private func updateInterest() {
    let events = wantedEvents
    guard events != interest, let registration else { return }
    interest = events
    loop.change(registration, descriptor: descriptor, events: events)
  }

  package func ready(_ events: UInt32) {
    if isConnecting {
      guard Socket.pendingError(descriptor) == 0 else { return close() }
      isConnecting = false
    }
    if events & EPOLLIN.rawValue != 0 || (isReading && !isHeld && events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0)
    {
      receive()
    } else if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 {
      return close()
    } else if events & EPOLLRDHUP.rawValue != 0 {
      peerLeft = true
      // With the handshake held there is nobody who waits for the rest.
      if isHeld { return close() }
      updateInterest()
    }
    guard !isClosed else { return }
    if events & EPOLLOUT.rawValue != 0 {
      isBlocked = false
      _ = flush()
      if !isClosed { updateInterest() }
    }
    if !isClosed { owner?.wireChanged(self) }
  }

  private func receive() {
    switch Socket.receive(descriptor, into: loop.scratch) {
    case .bytes(let count):
      bytesReceived += Int64(count)
      let bytes = UnsafeRawBufferPointer(rebasing: loop.scratch[..<count])
      if let tls { decrypt(bytes, tls) } else { input.append(bytes) }
    case .end:
      sawEnd = true
      peerLeft = true
      updateInterest()
    case .wouldBlock:
      break
    case .failed:
      close()
    }
  }

  // MARK: Ending

  /// Tells a TLS peer that the end is meant.
  package func closeNotify() {
    guard let tls else { return }
    tls.closeNotify()
    tls.drain(into: &output)
  }

  /// Sends FIN and goes on reading.
  package func halfClose() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Ends with RST: what the peer has not read may be lost to it.
  package func reset() {
    Socket.resetOnClose(descriptor)
    close()
  }

  /// Whether a plain close would turn into RST because the peer's bytes were not read.
  package var hasUnreadBytes: Bool { !sawEnd && Socket.hasUnreadBytes(descriptor) }

  /// Closes the descriptor and tells the owner. Does nothing the second time.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    if let registration { loop.remove(registration, descriptor: descriptor) }
    Glibc.close(descriptor)
    owner?.wireClosed(self)
  }

  package func loopEnds() { close() }
}
