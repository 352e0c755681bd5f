import CurlewTestSupport

/// A client's HTTP/2 connection to a `FrameOrigin`.
///
/// It reads only what it needs of the frames: which streams were opened, and how many bytes of their bodies arrived. Header
/// blocks are not decoded. Only the loop's thread uses it.
// Safe because every member is used on the loop's thread; gates only carry the reference.
final class FrameConnection: Wire.Owner, @unchecked Sendable {
  private struct Stream {
    var steps: ArraySlice<FrameStep>
    var received: Int64 = 0
    var isUploaded: Bool
    var isAtGate = false
    var hasPassedGate = false
  }

  /// What a client sends first (RFC 9113 §3.4).
  private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
  private static let frameHead = 9

  let number: Int
  private let wire: Wire
  /// The origin; nil once it has gone, which a test that runs out of time can cause.
  private weak var origin: FrameOrigin?
  private var isHTTP1 = false
  private var sawPreface = false
  private var streams: [Int: Stream] = [:]
  private var isEnding = false
  private var hasPong = false

  init(_ descriptor: Int32, number: Int, origin: FrameOrigin) {
    self.number = number
    self.origin = origin
    wire = Wire(descriptor, on: origin.loop)
    wire.owner = self
  }

  func begin(_ context: TLSContext?) {
    if let context {
      guard let session = TLSSession(context) else { return wire.close() }
      wire.secure(session, .prompt)
    }
    guard wire.begin(), context == nil else { return }
    send(FrameWriter.frame(.settings, stream: 0))
  }

  func wireSecured(_ wire: Wire, _ session: OriginTLSSession) {
    isHTTP1 = session.applicationProtocol == "http/1.1"
    guard session.applicationProtocol == "h2" else { return isHTTP1 ? () : wire.close() }
    send(FrameWriter.frame(.settings, stream: 0))
  }

  func wireClosed(_ wire: Wire) { origin?.closed(self) }

  func wireChanged(_ wire: Wire) {
    if wire.sawEnd { return end() }
    if isEnding { return closeOnceSent() }
    if isHTTP1 { return answerOverHTTP1() }
    if !sawPreface {
      guard wire.input.count >= Self.preface.count else { return }
      guard wire.input.take(Self.preface.count) == Self.preface else { return wire.close() }
      sawPreface = true
    }
    while !wire.isClosed, !isEnding, let (kind, flags, stream, payload) = nextFrame() {
      receive(kind, flags, stream, payload)
    }
  }

  /// Closes the connection that the client has ended, and notes the frames that came last.
  private func end() {
    while sawPreface, let (kind, flags, stream, payload) = nextFrame() {
      origin?.note(.frame(kind: kind, flags: flags, stream: stream, payload), of: self)
    }
    wire.close()
  }

  /// Answers each request over HTTP/1.1 with the same response, and ignores its body.
  private func answerOverHTTP1() {
    let end = Array("\r\n\r\n".utf8)
    let isWhole = wire.input.withBytes { bytes in
      bytes.count >= end.count && (0...(bytes.count - end.count)).contains { bytes[$0...].starts(with: end) }
    }
    guard isWhole else { return }
    wire.input.discard(wire.input.count)
    _ = origin?.steps(for: self, stream: 0, hasBody: false)
    send(Array("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n".utf8))
  }

  private func nextFrame() -> (kind: UInt8, flags: UInt8, stream: Int, payload: [UInt8])? {
    guard wire.input.count >= Self.frameHead else { return nil }
    let head = wire.input.withBytes { Array($0.prefix(Self.frameHead)) }
    let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
    guard wire.input.count >= Self.frameHead + length else { return nil }
    wire.input.discard(Self.frameHead)
    let stream = head[5...8].reduce(0) { $0 << 8 | Int($1) } & 0x7fff_ffff
    return (head[3], head[4], stream, wire.input.take(length))
  }

  private func receive(_ kind: UInt8, _ flags: UInt8, _ stream: Int, _ payload: [UInt8]) {
    let ends = flags & FrameWriter.endStream != 0
    origin?.note(.frame(kind: kind, flags: flags, stream: stream, payload), of: self)
    switch FrameWriter.Kind(rawValue: kind) {
    case .settings where flags & FrameWriter.acknowledgement == 0:
      send(FrameWriter.frame(.settings, flags: FrameWriter.acknowledgement, stream: 0))
    case .ping where flags & FrameWriter.acknowledgement == 0:
      send(FrameWriter.frame(.ping, flags: FrameWriter.acknowledgement, stream: 0, payload))
    case .ping:
      hasPong = true
      for id in streams.keys.sorted() { play(id) }
    case .headers where streams[stream] == nil:
      let steps = origin?.steps(for: self, stream: stream, hasBody: !ends) ?? []
      streams[stream] = Stream(steps: steps[...], isUploaded: ends)
      play(stream)
    case .headers, .data:
      streams[stream]?.received += Int64(payload.count)
      if ends { streams[stream]?.isUploaded = true }
      if !payload.isEmpty {
        let increment = FrameWriter.number(UInt32(payload.count))
        send(FrameWriter.frame(.windowUpdate, stream: 0, increment))
        if !ends, streams[stream] != nil { send(FrameWriter.frame(.windowUpdate, stream: stream, increment)) }
      }
      play(stream)
    case .reset: streams[stream] = nil
    default: return
    }
  }

  /// Plays a stream's steps as far as possible.
  private func play(_ id: Int) {
    while !wire.isClosed, !isEnding, let stream = streams[id], let step = stream.steps.first {
      switch step.action {
      case .bytes(let bytes): send(bytes)
      case .frame(let kind, let flags, let stream, let payload):
        send(FrameWriter.frame(kind, flags: flags, stream: stream ?? id, payload))
      case .head(let fields, let ends): send(FrameWriter.headers(FrameWriter.block(fields), stream: id, ends: ends))
      case .content(let bytes, let ends): send(FrameWriter.content(bytes, stream: id, ends: ends))
      case .reset(let error): send(FrameWriter.frame(.reset, stream: id, FrameWriter.number(error.rawValue)))
      case .goAway(let last, let error):
        let payload = FrameWriter.number(UInt32(last ?? id)) + FrameWriter.number(error.rawValue)
        send(FrameWriter.frame(.goAway, stream: 0, payload))
      case .waitForUpload(let count):
        guard stream.isUploaded || stream.received >= count ?? .max else { return }
      case .waitForPong:
        guard hasPong else { return }
      case .waitForGate(let gate):
        guard stream.hasPassedGate else {
          if !stream.isAtGate { wait(at: gate, id) }
          return
        }
        streams[id]?.hasPassedGate = false
        streams[id]?.isAtGate = false
      case .close(let notified):
        if notified { wire.closeNotify() }
        isEnding = true
        closeOnceSent()
      }
      streams[id]?.steps.removeFirst()
    }
  }

  private func wait(at gate: OriginGate, _ id: Int) {
    streams[id]?.isAtGate = true
    gate.arrive { [weak self] in
      self?.origin?.loop.execute { [weak self] in
        guard let self, streams[id] != nil else { return }
        streams[id]?.hasPassedGate = true
        play(id)
      }
    }
  }

  private func send(_ bytes: [UInt8]) {
    wire.send(bytes)
    _ = wire.flush()
  }

  private func closeOnceSent() { if wire.flush() { wire.close() } }
}
