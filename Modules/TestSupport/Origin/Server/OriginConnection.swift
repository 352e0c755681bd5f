import CurlewCore
import Glibc

/// A client's connection to a scripted origin.
///
/// It reads requests, asks the handler and sends the replies. Only the loop's thread uses it; handlers run elsewhere and
/// return with `loop.execute`.
// Safe because every member is used on the loop's thread; other threads only carry the reference.
final class OriginConnection: Wire.Owner, @unchecked Sendable {
  enum Phase {
    /// Between two requests, or before the first.
    case idle
    /// The handler was called.
    case handling
    /// The steps of the reply are running.
    case replying
    /// All steps are done; the kernel has not accepted all bytes yet.
    case finishing(OriginStep.TLSEnding)
    /// All bytes are sent.
    ///
    /// The client's remaining bytes are read, so that it can read the end of the reply.
    case lingering
    /// Nothing is read or written until the client leaves.
    case stalled
    /// All bytes that arrive are sent back.
    case echoing
    /// Code of the test reads and writes.
    case conversing(OriginConversation)
    case closed
  }

  let number: Int
  let wire: Wire
  let server: OriginServer
  let behaviour: ConnectionBehaviour
  var phase = Phase.idle
  var tls: OriginTLSSession?
  // The current request.
  var requestIndex = 0
  var request: OriginRequest?
  var decoder = UploadDecoder(.none)
  var uploadAllowance: Int64 = 0
  var owesContinue = false
  var handler: Task<Void, Never>?
  var reply: OriginReply?
  var player = ReplyPlayer()
  // The behaviour of the idle connection.
  var idling: OriginIdling
  var idlePeriod = 0
  private var isAdvancing = false
  private var mustAdvanceAgain = false

  init(_ descriptor: Int32, number: Int, behaviour: ConnectionBehaviour, server: OriginServer) {
    self.number = number
    self.server = server
    self.behaviour = behaviour
    idling = behaviour.idling
    wire = Wire(descriptor, on: server.loop)
    wire.owner = self
    wire.limit(bytesPerSecond: behaviour.bytesPerSecond)
  }

  /// Serves requests, or does what the behaviour says instead.
  func begin(_ acceptance: ConnectionBehaviour.Acceptance) {
    if let context = server.tls, case .serve = acceptance {
      guard let session = TLSSession(context) else { return wire.close() }
      wire.secure(session, behaviour.handshake ?? server.options.tls?.handshake ?? .prompt)
    }
    guard wire.begin() else { return }
    switch acceptance {
    case .serve: return
    case .close: wire.close()
    case .reset: wire.reset()
    case .stall:
      phase = .stalled
      wire.setReading(false)
    case .send(let bytes):
      wire.send(bytes)
      endInGoodOrder()
    }
  }

  func wireChanged(_ wire: Wire) { advance() }

  func wireSecured(_ wire: Wire, _ session: OriginTLSSession) {
    tls = session
    wire.limit(bytesPerSecond: behaviour.bytesPerSecond)
    server.ledger.update { $0.handshakes += 1 }
  }

  func wireClosed(_ wire: Wire) {
    if case .conversing(let conversation) = phase { conversation.channel.finish(nil) }
    phase = .closed
    handler?.cancel()
    handler = nil
    request?.upload.end(complete: false)
    wire.transcript?.ended(wire.peerLeft ? "closed by the client" : "closed by the server")
    server.closed(self)
  }

  /// Continues as far as input, handler and client allow.
  func advance() {
    // A step may lead back here; a single loop keeps the order.
    guard !isAdvancing else {
      mustAdvanceAgain = true
      return
    }
    isAdvancing = true
    repeat {
      mustAdvanceAgain = false
      while step() {}
    } while mustAdvanceAgain
    isAdvancing = false
    if !wire.isClosed { updateReading() }
  }

  /// Runs one step; returns true if there may be more to do at once.
  private func step() -> Bool {
    switch phase {
    case .idle: return readHead()
    case .handling:
      readUpload()
      return beginReply()
    case .replying:
      readUpload()
      return play()
    case .finishing(let ending):
      wire.input.discard(wire.input.count)
      return finish(ending)
    case .lingering:
      wire.input.discard(wire.input.count)
      if wire.sawEnd { wire.close() }
      return false
    case .stalled:
      if wire.peerLeft { wire.close() }
      return false
    case .echoing:
      wire.send(wire.input.take(wire.input.count))
      if wire.flush(), wire.sawEnd { wire.close() }
      return false
    case .conversing(let conversation):
      if conversation.advance(wire) {
        conversation.channel.finish(nil)
        endInGoodOrder()
      }
      return false
    case .closed: return false
    }
  }

  private func updateReading() {
    let reads =
      switch phase {
      case .idle, .finishing, .lingering: true
      case .stalled, .closed: false
      case .echoing: wire.unsent < 65_536
      case .conversing(let conversation): !conversation.isPaused
      case .handling, .replying: wire.input.count < 65_536
      }
    wire.setReading(reads)
  }

  // MARK: Heads

  private func readHead() -> Bool {
    guard !wire.input.isEmpty else {
      if wire.sawEnd { wire.close() }
      return false
    }
    if requestIndex > 0, case .closeOnNextByte = idling.kind {
      wire.close()
      return false
    }
    // Skip empty lines before a request (RFC 9112 §2.2).
    while let first = wire.input.withBytes(\.first), first == 0x0d || first == 0x0a { wire.input.discard(1) }
    guard let length = wire.input.withBytes({ RequestHead.length(in: $0) }), length <= server.options.headBytes else {
      if wire.input.count > server.options.headBytes {
        wire.send("HTTP/1.1 431 \(ReasonPhrase.standard(431))\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        endInGoodOrder()
      } else if wire.sawEnd {
        wire.close()
      }
      return false
    }
    idlePeriod += 1
    idling = behaviour.idling
    ask(RequestHead(raw: wire.input.take(length)))
    return true
  }

  private func ask(_ head: RequestHead) {
    phase = .handling
    decoder = UploadDecoder(head.framing)
    owesContinue = head.expectsContinue && !decoder.isComplete
    uploadAllowance = 0
    let index = requestIndex
    let loop = server.loop
    let wanted: EventLoop.Job = { [weak self] in
      loop.execute { [weak self] in self?.handlerWantsUpload(index) }
    }
    let isEmpty = decoder.isComplete
    let upload = OriginUpload(
      keeping: server.options.bodyBytesKept, isComplete: isEmpty, wanted: isEmpty ? nil : wanted)
    let request = OriginRequest(
      connection: number, index: index, tls: tls, parsed: head, upload: upload, transcript: transcript(of: head))
    self.request = request
    requestIndex += 1
    server.ledger.record(request)
    guard !decoder.isBroken else {
      upload.end(complete: false)
      reply = .status(400, "The request's length is not clear.\n").closing().beforeUpload()
      return
    }
    handler = server.run(request) { [weak self] reply in
      guard let self, isHandling, requestIndex == index + 1 else { return }
      self.reply = reply
      advance()
    }
  }

  /// Starts to record the request and its reply, if that is wanted.
  private func transcript(of head: RequestHead) -> OriginTranscript? {
    guard server.options.transcriptBytes > 0 else { return nil }
    let transcript = OriginTranscript(keeping: server.options.transcriptBytes)
    head.raw.withUnsafeBytes { transcript.received($0) }
    wire.transcript = transcript
    return transcript
  }

  private var isHandling: Bool { if case .handling = phase { true } else { false } }

  private func handlerWantsUpload(_ index: Int) {
    guard isHandling, requestIndex == index + 1 else { return }
    openUpload(upTo: .max, sendingContinue: true)
    advance()
  }

  // MARK: Ending

  /// Closes after all bytes were sent, without a reset that could truncate the reply.
  func endInGoodOrder(_ ending: OriginStep.TLSEnding = .notified) {
    phase = .finishing(ending)
    wire.transcript?.ended("closed by the server")
    if ending == .notified { wire.closeNotify() }
    if finish(ending) { advance() }
  }

  private func finish(_ ending: OriginStep.TLSEnding) -> Bool {
    guard wire.flush() else { return false }
    if wire.sawEnd || (wire.input.isEmpty && decoder.isComplete && !wire.hasUnreadBytes) {
      wire.close()
      return false
    }
    wire.halfClose()
    phase = .lingering
    server.loop.schedule(after: .seconds(1)) { [weak self] in self?.wire.close() }
    return true
  }
}

/// Reads a request's body, as far as handler and reply allow.
extension OriginConnection {
  /// Allows this many more bytes of the body.
  ///
  /// A client that waits for 100 Continue is told to send them.
  func openUpload(upTo allowance: Int64, sendingContinue: Bool) {
    uploadAllowance = allowance
    guard owesContinue else { return }
    owesContinue = false
    if sendingContinue {
      wire.send("HTTP/1.1 100 Continue\r\n\r\n")
      _ = wire.flush()
    }
  }

  /// Moves arrived bytes of the body out of the wire's input.
  func readUpload() {
    guard let upload = request?.upload, !decoder.isComplete else { return }
    while uploadAllowance > 0 {
      let event = wire.input.withBytes { input in
        let event = decoder.next(input, upTo: uploadAllowance)
        switch event {
        case .body(let count):
          let bytes = UnsafeRawBufferPointer(rebasing: input[..<count])
          upload.append(bytes)
          wire.transcript?.received(bytes)
        case .framing(let count), .trailer(_, let count):
          wire.transcript?.received(UnsafeRawBufferPointer(rebasing: input[..<count]))
        case .complete, .broken, .starved: break
        }
        return event
      }
      switch event {
      case .body(let count):
        if uploadAllowance != .max { uploadAllowance -= Int64(count) }
        wire.input.discard(count)
      case .framing(let count):
        wire.input.discard(count)
      case .trailer(let line, let count):
        upload.append(trailer: line)
        wire.input.discard(count)
      case .complete:
        return upload.end(complete: true)
      case .broken:
        return upload.end(complete: false)
      case .starved:
        if wire.sawEnd { upload.end(complete: false) }
        return
      }
    }
    // A body that ends exactly at the allowance is complete, too.
    if decoder.isComplete { upload.end(complete: true) }
  }
}
