import CurlewCore

/// Sends a reply: writing steps fill the wire, all others wait until it is empty.
extension OriginConnection {
  private static var highWater: Int { 65_536 }

  /// Starts the reply once it exists and the request's body was read as required.
  func beginReply() -> Bool {
    guard let reply else { return false }
    if !decoder.isComplete, reply.reading != .scripted {
      openUpload(upTo: .max, sendingContinue: reply.reading == .first)
      readUpload()
      guard decoder.isComplete else {
        if decoder.isBroken {
          self.reply = .status(400, "The request's body is broken.\n").closing().beforeUpload()
          return true
        }
        if wire.sawEnd, wire.input.isEmpty { wire.close() } else { _ = wire.flush() }
        return false
      }
    }
    self.reply = nil
    handler = nil
    player = ReplyPlayer(reply, method: request?.method ?? "", generation: player.generation)
    phase = .replying
    return true
  }

  /// Runs steps until one must wait, the wire is full or all are done.
  ///
  /// - Returns: Whether the phase changed.
  func play() -> Bool {
    guard isWaitOver() else { return false }
    var budget = 16 * Self.highWater
    while let step = player.current {
      if wire.unsent >= Self.highWater {
        budget -= wire.unsent
        guard wire.flush() else { return false }
        if budget <= 0 {
          // A reader that is as fast as this writer must not delay the other connections.
          server.loop.schedule(after: .zero) { [weak self] in self?.advance() }
          return false
        }
      }
      if write(step) { continue }
      guard wire.flush() else { return false }
      switch act(step) {
      case .goOn: continue
      case .wait: return false
      case .changed: return true
      }
    }
    guard wire.flush() else { return false }
    finishReply()
    return true
  }

  /// Returns whether the event that the current step waits for has happened.
  private func isWaitOver() -> Bool {
    switch player.waiting {
    case nil: return true
    case .call, .leaving:
      if wire.peerLeft { wire.close() }
      return false
    case .upload(let count):
      guard let upload = request?.upload else { return false }
      if decoder.isComplete || count.map({ upload.progress.length >= $0 }) == true {
        player.waiting = nil
        player.finishStep()
        return true
      }
      if decoder.isBroken || (wire.sawEnd && wire.input.isEmpty) { wire.close() }
      return false
    }
  }

  // MARK: Writing

  /// Writes the bytes of a step, or the next part; returns false for other steps.
  private func write(_ step: OriginStep) -> Bool {
    switch step.action {
    case .bytes(let bytes):
      write(bytes)
      player.finishStep()
    case .body(let bytes):
      if !player.skipsBody { write(bytes) }
      player.finishStep()
    case .fill(let pattern, let start, let total):
      let left = player.skipsBody ? 0 : total - player.progress
      let count = Int(max(0, min(left, Int64(Self.highWater), player.room)))
      wire.send(count: count) { pattern.fill($0, from: start &+ self.player.progress) }
      progress(by: count, of: left)
    case .chunks(let pattern, let total, let size):
      let left = player.skipsBody ? 0 : total - player.progress
      let count = Int(max(0, min(left, Int64(size), 1 << 20)))
      if count > 0 {
        let bytes = pattern.bytes(from: player.progress, count: count)
        write([UInt8]((String(count, radix: 16) + "\r\n").utf8) + bytes + [0x0d, 0x0a], counting: count)
      }
      if Int64(count) >= left { player.finishStep() }
    case .repeated(let bytes, let times):
      guard !bytes.isEmpty, player.progress < times else {
        player.finishStep()
        break
      }
      var copies = max(1, min(Int64(times) - player.progress, Int64(4096 / bytes.count)))
      player.progress += copies
      while copies > 0 {
        write(bytes)
        copies -= 1
      }
    default: return false
    }
    return true
  }

  /// Writes as many bytes as the reply's cut allows.
  private func write(_ bytes: [UInt8], counting progress: Int = 0) {
    let room = player.room
    wire.send(room < Int64(bytes.count) ? [UInt8](bytes.prefix(Int(room))) : bytes)
    player.written += min(room, Int64(bytes.count))
    player.progress += Int64(progress)
  }

  private func progress(by count: Int, of left: Int64) {
    player.written += Int64(count)
    player.progress += Int64(count)
    if Int64(count) >= left { player.finishStep() }
  }

  // MARK: Acting

  private enum Act { case goOn, wait, changed }

  private func act(_ step: OriginStep) -> Act {
    switch step.action {
    case .drip(let bytes, let size, let pause):
      let from = Int(player.progress)
      guard from < bytes.count, !player.skipsBody else {
        player.finishStep()
        return .goOn
      }
      write([UInt8](bytes[from..<min(bytes.count, from + size)]), counting: size)
      guard wire.flush(), player.room > 0, from + size < bytes.count else { return .goOn }
      return wait(pause, finishing: false)
    case .wait(let duration):
      return wait(duration)
    case .gate(let gate):
      let pass = expectCall()
      let loop = server.loop
      gate.arrive { loop.execute(pass) }
      return player.waiting == nil ? .goOn : .wait
    case .stall:
      player.waiting = .leaving
      _ = isWaitOver()
      return .wait
    case .readUpload(let count):
      let length = request?.upload.progress.length ?? 0
      openUpload(upTo: count.map { max(0, $0 - length) } ?? .max, sendingContinue: true)
      player.waiting = .upload(count)
      readUpload()
      return isWaitOver() ? .goOn : .wait
    case .echo:
      phase = .echoing
      return .changed
    case .converse(let code):
      converse(code)
      return .changed
    case .rate(let rate):
      wire.limit(bytesPerSecond: rate)
      player.changedRate = true
      player.finishStep()
      return .goOn
    case .idle(let idling):
      self.idling = idling
      player.finishStep()
      return .goOn
    case .perform(let code):
      perform(code)
      return player.waiting == nil ? .goOn : .wait
    case .close(let ending):
      countReply()
      endInGoodOrder(ending)
      return .changed
    case .reset:
      countReply()
      wire.transcript?.ended("reset by the server")
      wire.reset()
      return .changed
    case .halfClose:
      countReply()
      wire.transcript?.ended("closed by the server")
      wire.closeNotify()
      _ = wire.flush()
      wire.halfClose()
      phase = .lingering
      return .changed
    case .bytes, .body, .fill, .chunks, .repeated:
      return .goOn
    }
  }

  private func wait(_ duration: Duration, finishing: Bool = true) -> Act {
    let pass = expectCall(finishing: finishing)
    server.loop.schedule(after: duration, pass)
    return .wait
  }

  /// Returns a job for a timer or gate that continues the reply.
  private func expectCall(finishing: Bool = true) -> EventLoop.Job {
    player.generation += 1
    player.waiting = .call
    let generation = player.generation
    return { [weak self] in
      guard let self, !wire.isClosed, player.waiting != nil, player.generation == generation else { return }
      player.waiting = nil
      if finishing { player.finishStep() }
      advance()
    }
  }

  private func perform(_ code: @escaping @Sendable () async -> [OriginStep]) {
    player.generation += 1
    player.waiting = .call
    let generation = player.generation
    let loop = server.loop
    handler = server.spawn { [weak self] in
      let steps = await code()
      loop.execute { [weak self] in self?.performed(steps, generation) }
    }
  }

  private func converse(_ code: @escaping @Sendable (DuplexConnection) async -> Void) {
    countReply()
    let conversation = OriginConversation(self, on: server.loop)
    phase = .conversing(conversation)
    let connection = DuplexConnection(conversation.channel)
    handler = server.spawn {
      await code(connection)
      connection.close()
    }
  }

  private func performed(_ steps: [OriginStep], _ generation: Int) {
    guard !wire.isClosed, player.generation == generation else { return }
    player.waiting = nil
    player.replaceStep(with: steps)
    advance()
  }

  // MARK: After the last step

  private func finishReply() {
    countReply()
    wire.transcript?.complete()
    let limitReached = behaviour.requestLimit.map { requestIndex >= $0 } ?? false
    let closes = player.endsConnection || request?.parsed.closes == true || limitReached || !decoder.isComplete
    if player.changedRate { wire.limit(bytesPerSecond: behaviour.bytesPerSecond) }
    if let upload = request?.upload {
      upload.end(complete: decoder.isComplete)
      server.ledger.noteKept(upload.keptCount)
    }
    request = nil
    player = ReplyPlayer(generation: player.generation)
    guard !closes else { return endInGoodOrder() }
    phase = .idle
    switch idling.kind {
    case .close(let range): closeWhenIdle(after: range)
    case .speak(let bytes, let gate, let closes): speakWhenIdle(bytes, at: gate, closes: closes)
    case .keep, .closeOnNextByte: break
    }
  }

  private func speakWhenIdle(_ bytes: [UInt8], at gate: OriginGate, closes: Bool) {
    let loop = server.loop
    let speak: EventLoop.Job = { [weak self] in
      if let self, !wire.isClosed {
        wire.send(bytes)
        _ = wire.flush()
        if closes { wire.close() }
      }
      gate.arrive {}
    }
    gate.arrive { loop.execute(speak) }
  }

  private func countReply() {
    server.ledger.update { $0.repliesFinished += 1 }
  }

  private func closeWhenIdle(after range: ClosedRange<Duration>) {
    let (least, most) = (range.lowerBound.nanosecondsClamped, range.upperBound.nanosecondsClamped)
    let period = idlePeriod
    server.loop.schedule(after: .nanoseconds(Int64.random(in: least...max(least, most)))) { [weak self] in
      guard let self, case .idle = phase, idlePeriod == period else { return }
      wire.close()
    }
  }
}
