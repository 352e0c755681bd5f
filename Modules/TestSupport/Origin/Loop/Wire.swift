import CLinux
import Glibc

/// A connected socket on an event loop, with buffers and optional TLS.
///
/// Only the loop's thread uses it.
package final class Wire: EventLoop.Source {
  /// Receives the events of a wire, on the loop's thread.
  ///
  /// It may close the wire in each call.
  package protocol Owner: AnyObject {
    /// Bytes arrived in `input`, the peer ended its side, or all output was sent.
    func wireChanged(_ wire: Wire)
    /// The TLS handshake is complete.
    func wireSecured(_ wire: Wire, _ session: OriginTLSSession)
    /// The wire was closed; called exactly once.
    func wireClosed(_ wire: Wire)
  }

  package let loop: EventLoop
  package let descriptor: Int32
  package weak var owner: (any Owner)?
  /// Decrypted bytes that arrived and were not taken yet.
  package var input = ByteQueue()
  /// Whether the peer will send no more bytes.
  package private(set) var sawEnd = false
  /// Whether the peer has closed its side, even if its bytes were not read.
  package private(set) var peerLeft = false
  package private(set) var isClosed = false
  /// Whether the connection is still being established.
  package private(set) var isConnecting = false
  /// The bytes that the kernel accepted and delivered, including TLS.
  package private(set) var bytesSent: Int64 = 0
  package private(set) var bytesReceived: Int64 = 0
  private var output = ByteQueue()
  private var pace: Pace?
  private var isPacing = false
  private var isReading = true
  private var isBlocked = false
  private var tls: TLSSession?
  /// Whether the handshake waits; the client's bytes then stay in the kernel.
  private var isHeld = false
  private var cutAfter: Int64?
  /// Bytes that were sent before the handshake was complete.
  private var early = ByteQueue()
  private var registration: UInt64?
  private var interest: UInt32 = 0

  /// Records what is sent from now on; nil records nothing.
  package var transcript: OriginTranscript?

  /// Takes ownership of a connected, non-blocking descriptor.
  package init(_ descriptor: Int32, on loop: EventLoop) {
    self.loop = loop
    self.descriptor = descriptor
  }

  /// Starts watching the socket.
  ///
  /// Returns false if the system refuses; the wire is then closed.
  package func begin(connecting: Bool = false) -> Bool {
    isConnecting = connecting
    isBlocked = connecting
    interest = wantedEvents
    registration = loop.add(self, descriptor: descriptor, events: interest)
    if registration == nil { close() }
    return registration != nil
  }

  // MARK: TLS

  /// Requires a handshake first; call it before `begin`.
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

  /// Decrypts bytes; closes the connection if the peer violates the protocol.
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

  /// The number of bytes that the kernel has not accepted yet.
  package var unsent: Int { output.count }

  package func send(_ bytes: [UInt8]) {
    if let transcript { bytes.withUnsafeBytes { transcript.wrote($0) } }
    guard let tls else { return output.append(bytes) }
    guard tls.isEstablished else { return early.append(bytes) }
    bytes.withUnsafeBytes { tls.write($0) }
    tls.drain(into: &output)
  }

  package func send(_ text: String) { send([UInt8](text.utf8)) }

  /// Sends `count` bytes that `fill` writes in place.
  ///
  /// The loop's scratch buffer limits the number.
  package func send(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
    if let transcript {
      if transcript.keepsMore {
        return send(
          [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            // Safe because `fill` writes each byte of the buffer.
            fill(UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]))
            initialized = count
          })
      }
      transcript.wrote(count: count)
    }
    guard let tls else { return output.append(count: count, fill: fill) }
    let room = UnsafeMutableRawBufferPointer(rebasing: loop.scratch.prefix(count))
    fill(room)
    tls.write(UnsafeRawBufferPointer(room))
    tls.drain(into: &output)
  }

  /// Limits the bytes per second from now on; nil sets no limit.
  package func limit(bytesPerSecond: Int?) {
    pace = bytesPerSecond.map { Pace(bytesPerSecond: $0, now: monotonicNow()) }
  }

  /// Passes bytes to the kernel; returns true if none are left.
  package func flush() -> Bool {
    defer { transcript?.left(output.count) }
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

  /// Resumes reading, or leaves bytes in the kernel so that the peer is slowed down.
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
    // A peer that leaves during a pause must still be noticed, or a stalled reply would never end.
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
      // With the handshake held, nobody waits for the rest.
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

  /// Tells a TLS peer that the end is intended.
  package func closeNotify() {
    guard let tls else { return }
    tls.closeNotify()
    tls.drain(into: &output)
  }

  /// Sends FIN and continues reading.
  package func halfClose() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Closes with RST; the peer may lose bytes that it has not read.
  package func reset() {
    Socket.resetOnClose(descriptor)
    close()
  }

  /// Whether a normal close would become RST, because the peer's bytes were not read.
  package var hasUnreadBytes: Bool { !sawEnd && Socket.hasUnreadBytes(descriptor) }

  /// Closes the descriptor and informs the owner; later calls do nothing.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    if let registration { loop.remove(registration, descriptor: descriptor) }
    Glibc.close(descriptor)
    owner?.wireClosed(self)
  }

  package func loopEnds() { close() }
}

/// A budget of bytes that refills evenly, in small portions.
package struct Pace {
  private let bytesPerSecond: Int64
  private var allowance: Int64
  private var refilled: Instant

  package init(bytesPerSecond: Int, now: Instant) {
    // A terabyte per second is no limit in practice, and keeps the sums below far from overflow.
    self.bytesPerSecond = Int64(min(max(1, bytesPerSecond), 1_000_000_000_000))
    allowance = 0
    refilled = now
  }

  /// The bytes of 20 ms: the most to accumulate, and the least worth a wake-up.
  private var helping: Int64 { max(1, bytesPerSecond / 50) }

  /// Returns how many bytes may be sent now.
  package mutating func allowed(at now: Instant) -> Int {
    let elapsed = min(max(0, now - refilled), 1_000_000_000)
    let earned = bytesPerSecond * (elapsed / 1000) / 1_000_000
    if earned > 0 {
      allowance = min(helping, allowance + earned)
      refilled = now
    }
    return Int(allowance)
  }

  package mutating func spend(_ count: Int) { allowance -= Int64(count) }

  /// The time until the next portion is available.
  package var delay: Duration { .nanoseconds(max(1_000_000, 1_000_000_000 * min(helping, 1_000_000) / bytesPerSecond)) }
}
