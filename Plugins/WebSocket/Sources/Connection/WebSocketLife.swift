import CurlewCore
import FoundationEssentials
import HTTPTypes
import Synchronization

/// The life of one connection: the transport's thread passes on what arrives, a task keeps it alive, and the app's tasks send and receive.
///
/// The `WebSocketMachine` decides, under one lock; the bytes that it writes are passed on in their order. What arrives is read on the
/// transport's thread, unless it may be compressed: a task of its own expands it, which can take long. The transport's thread then takes
/// only the lock of the `Intake`, so that it never waits for the work of this connection.
final class WebSocketLife: Sendable {
  private enum Ending {
    case closed(WebSocketClosure)
    case failed(any Error)
    case cancelled
  }

  private struct State: ~Copyable {
    var machine: WebSocketMachine
    var unread = UnreadMessages()
    /// Whether the connection was told to pause; `Intake` knows it where compression was agreed.
    var isPaused = false
    var ending: Ending?
    /// Whether the app closes, so that later messages that do not fit are dropped.
    var isClosing = false
    var isFlushing = false
    /// Whether the connection has refused bytes, since it had ended.
    var isRefused = false
    /// The number of the newest ping, and of the newest one that was answered.
    var pings: UInt64 = 0
    var pongs: UInt64 = 0
    var lastMotion: ContinuousClock.Instant
    var keeper: Task<Void, Never>?
    /// Limits how long the server may take to end the connection.
    var patience: Alarm?

    init(_ machine: consuming sending WebSocketMachine, at now: ContinuousClock.Instant) {
      self.machine = machine
      lastMotion = now
    }
  }

  /// What has arrived and is still to be read by a task.
  private struct Intake {
    private var bytes = Data()
    /// How many of the bytes were read.
    private var read = 0
    /// Whether a task reads.
    var isReading = false
    /// Whether the connection was told to pause.
    var isPaused = false
    /// The error of the connection's end, or of its last byte, which counts once everything was read.
    var lastError: (any Error)?

    var count: Int { bytes.count - read }

    mutating func append(_ more: Data) { bytes.append(more) }

    /// Removes and returns the next bytes; nil if there are none.
    ///
    /// At most 4,096 at once, so that what they expand to is at most about 4 MB.
    mutating func next() -> Data? {
      guard count > 0 else { return nil }
      let end = min(bytes.count, read + 4_096)
      let piece = bytes.subdata(in: read..<end)
      read = end
      // What was read is dropped when it is the greater part.
      if 2 * read > bytes.count { (bytes, read) = (bytes.subdata(in: read..<bytes.count), 0) }
      return piece
    }

    /// Returns whether a task is to begin to read.
    mutating func begins() -> Bool {
      guard !isReading, count > 0 else { return false }
      isReading = true
      return true
    }
  }

  /// How long the other side may take to end the connection, and to read the last bytes.
  private static let patience = Duration.seconds(2)

  private let connection: DuplexConnection
  private let limits: WebSocketLimits
  private let isCompressed: Bool
  private let clock: any NetworkClock
  private let url: URL
  private let state: Mutex<State>
  /// Never locked together with `state`.
  private let intake = Mutex(Intake())
  /// Rings when there is a message, or the end.
  private let arrival = Bell()
  /// Rings when a pong has arrived, or the end.
  private let answers = Bell()

  init(
    _ connection: DuplexConnection, _ machine: consuming sending WebSocketMachine, _ limits: WebSocketLimits,
    isCompressed: Bool, _ clock: any NetworkClock, _ url: URL
  ) {
    self.connection = connection
    self.limits = limits
    self.isCompressed = isCompressed
    self.clock = clock
    self.url = url
    state = Mutex(State(machine, at: clock.now))
  }

  /// Starts to read.
  ///
  /// - Parameter rest: What arrived with the handshake.
  func start(_ rest: Data, idleLimit: Duration?) {
    if let idleLimit, idleLimit > .zero {
      let task = Task { await self.keepAlive(idleLimit) }
      state.withLock { $0.keeper = task }
    }
    if !rest.isEmpty { _ = received(rest) }
    connection.deliver(to: received, ended: ended)
  }

  // MARK: Reading

  private func received(_ bytes: Data) -> BodyChannel.Demand {
    if isCompressed {
      let (begins, isPaused) = intake.withLock { intake in
        intake.append(bytes)
        intake.isPaused = intake.count >= limits.bufferedBytes
        return (intake.begins(), intake.isPaused)
      }
      if begins { Task { self.readOn() } }
      return isPaused ? .pause : .more
    }
    take(bytes)
    return state.withLock { state in
      state.isPaused = !hasRoom(state)
      return state.isPaused ? .pause : .more
    }
  }

  private func ended(_ error: (any Error)?) {
    let reads = intake.withLock { intake in
      intake.lastError =
        switch error {
        case let error? where !(error is CancellationError): error
        case nil: self.error(.connectionLost, "The server ended the connection without a close frame.")
        default: self.error(.connectionLost, "The connection was cancelled.")
        }
      return intake.isReading
    }
    if !reads { endAfterReading() }
  }

  /// Reads what has arrived, until nothing is left or the app has enough.
  private func readOn() {
    var reads = true
    while reads {
      while hasRoom, let bytes = intake.withLock({ $0.next() }) { take(bytes) }
      intake.withLock { $0.isReading = false }
      // Bytes may have arrived, or the app made room, since the last look.
      reads = hasRoom && intake.withLock { $0.begins() }
    }
    readMore()
    endAfterReading()
  }

  /// Asks for more when there is room for it again.
  private func readMore() {
    let resumes: Bool
    if isCompressed {
      if hasRoom, intake.withLock({ $0.begins() }) { Task { self.readOn() } }
      resumes = intake.withLock { intake in
        defer { intake.isPaused = intake.isPaused && intake.count >= limits.bufferedBytes }
        return intake.isPaused && intake.count < limits.bufferedBytes
      }
    } else {
      resumes = state.withLock { state in
        guard state.isPaused, hasRoom(state) else { return false }
        state.isPaused = false
        return true
      }
    }
    if resumes { connection.resume() }
  }

  private func hasRoom(_ state: borrowing State) -> Bool {
    state.unread.bytes < limits.bufferedBytes || state.isClosing || state.ending != nil
  }

  private var hasRoom: Bool { state.withLock { hasRoom($0) } }

  private var isOver: Bool { state.withLock { $0.ending != nil } }

  /// Reads bytes of the peer, and does what follows from them.
  private func take(_ bytes: Data) {
    let (ending, writes) = state.withLock { state -> (Ending?, Bool) in
      // The server may go on until it ends the connection, which is its part.
      guard state.ending == nil else { return (nil, false) }
      state.lastMotion = clock.now
      var ending: Ending?
      for event in bytes.withUnsafeBytes({ state.machine.receive($0) }) {
        switch event {
        case .message(let message):
          guard !state.isClosing || state.unread.bytes < limits.bufferedBytes else { break }
          state.unread.append(message)
        case .pong(let payload):
          guard let number = Self.number(payload), number <= state.pings else { break }
          state.pongs = max(state.pongs, number)
        case .closed(let closure): ending = .closed(closure)
        case .failed(let violation):
          ending = .failed(
            error(.protocolViolation, "The server broke the protocol of WebSocket: \(violation)", violation))
        }
      }
      return (ending, state.machine.hasOutput)
    }
    if writes { flush() }
    if let ending {
      end(ending)
      linger()
    }
    arrival.ring()
    answers.ring()
  }

  /// Gives the server a short time to end the connection, which is its part (RFC 6455 §7.1.1).
  private func linger() {
    let alarm = Alarm(clock, at: clock.now + Self.patience) { [connection] in connection.cancel() }
    state.withLock { $0.patience = alarm }
  }

  /// Ends, if the connection has ended and everything was read.
  private func endAfterReading() {
    let (error, isRead) = intake.withLock { ($0.isReading ? nil : $0.lastError, $0.count == 0) }
    guard let error, isRead || isOver else { return }
    state.withLock { $0.patience }?.stop()
    end(.failed(error))
    closeSoon()
  }

  /// Ends the connection after what was written has been sent, or after a short time.
  private func closeSoon() {
    connection.close()
    guard connection.unsentBytes > 0 else { return }
    Task { [clock, connection] in
      try? await clock.sleep(until: clock.now + Self.patience)
      connection.cancel()
    }
  }

  private func end(_ ending: Ending) {
    let keeper = state.withLock { state in
      if state.ending == nil { state.ending = ending }
      defer { state.keeper = nil }
      return state.keeper
    }
    keeper?.cancel()
    arrival.ring()
    answers.ring()
  }

  private func error(
    _ kind: NetworkError.Kind, _ message: String, _ cause: (any Error)? = nil
  ) -> NetworkError {
    NetworkError(kind, stage: .receivingBody, message: message, underlying: cause).with { details in
      details.request = Request(.get, url)
      details.maybeProcessed = true
    }
  }

  // MARK: Writing

  /// Passes on what the machine has written; one thread at a time, so that the order stays.
  private func flush() {
    if let bytes = state.withLock({ Self.beginFlush(&$0) }) { flush(bytes) }
  }

  /// Returns what is to be passed on, unless another thread does so.
  private static func beginFlush(_ state: inout State) -> [UInt8]? {
    guard !state.isFlushing, state.machine.hasOutput else { return nil }
    state.isFlushing = true
    return state.machine.takeOutput()
  }

  private func flush(_ first: [UInt8]) {
    var next: [UInt8]? = first
    while let bytes = next {
      // A connection that has ended tells its receiver why.
      let isRefused = (try? connection.write(Data(bytes))) == nil
      next = state.withLock { state in
        if isRefused { state.isRefused = true }
        guard state.machine.hasOutput else {
          state.isFlushing = false
          return nil
        }
        return state.machine.takeOutput()
      }
    }
  }

  nonisolated(nonsending) func send(_ message: WebSocketMessage) async throws {
    let (isTaken, bytes) = state.withLock { state -> (Bool, [UInt8]?) in
      guard state.ending == nil, state.machine.send(message) else { return (false, nil) }
      return (true, Self.beginFlush(&state))
    }
    guard isTaken else { throw ended() }
    if let bytes { flush(bytes) }
    do {
      try await connection.writable()
    } catch let error as CancellationError where Task.isCancelled {
      throw error
    } catch {
      throw state.withLock { $0.ending == nil } ? error : ended()
    }
    if state.withLock({ $0.isRefused }) { throw ended() }
  }

  /// The error of what needs an open connection.
  private func ended() -> any Error {
    state.withLock { state -> any Error in
      switch state.ending {
      case .failed(let error): error
      case .cancelled: CancellationError()
      case .closed, nil:
        NetworkError(.connectionLost, stage: .sending, message: "The WebSocket is closed, so nothing can be sent.")
          .with { $0.request = Request(.get, url) }
      }
    }
  }

  nonisolated(nonsending) func ping() async throws -> Duration {
    let start = clock.now
    let number = try writePing()
    try await answers.wait { self.state.withLock { $0.pongs >= number || $0.ending != nil } }
    guard state.withLock({ $0.pongs >= number }) else { throw ended() }
    return start.duration(to: clock.now)
  }

  private func writePing() throws -> UInt64 {
    let number = state.withLock { state -> UInt64? in
      let payload = withUnsafeBytes(of: (state.pings + 1).bigEndian) { [UInt8]($0) }
      guard state.ending == nil, state.machine.ping(payload) else { return nil }
      state.pings += 1
      return state.pings
    }
    guard let number else { throw ended() }
    flush()
    return number
  }

  private static func number(_ payload: [UInt8]) -> UInt64? {
    payload.count == 8 ? payload.reduce(0) { $0 << 8 | UInt64($1) } : nil
  }

  // MARK: Keeping alive

  private func keepAlive(_ limit: Duration) async {
    /// The motion after which the server was asked.
    var asked: ContinuousClock.Instant?
    while !isOver {
      let now = clock.now
      let last = state.withLock { state in
        // Nothing is read while nobody receives.
        if state.unread.bytes >= limits.bufferedBytes { state.lastMotion = now }
        return state.lastMotion
      }
      let silence = last.duration(to: now)
      if silence >= limit {
        end(.failed(error(.connectionLost, "Nothing arrived from the server within the idle limit of \(limit).")))
        return connection.cancel()
      }
      let half = limit / 2
      if silence >= half, asked != last {
        asked = last
        _ = try? writePing()
      }
      guard (try? await clock.sleep(until: last + (asked == last ? limit : half))) != nil else { return }
    }
  }

  // MARK: Receiving

  nonisolated(nonsending) func receive() async throws -> WebSocketMessage? {
    while true {
      let (message, ending, makesRoom) = state.withLock { state -> (WebSocketMessage?, Ending?, Bool) in
        guard let message = state.unread.removeFirst() else { return (nil, state.ending, false) }
        return (message, nil, state.isPaused || isCompressed)
      }
      if let message {
        if makesRoom { readMore() }
        return message
      }
      switch ending {
      case .closed: return nil
      case .failed(let error): throw error
      case .cancelled: throw CancellationError()
      case nil: break
      }
      do {
        try await arrival.wait { self.state.withLock { !$0.unread.isEmpty || $0.ending != nil } }
      } catch {
        // The task of the one who receives was cancelled.
        abandon()
        throw error
      }
    }
  }

  // MARK: The end

  var closure: WebSocketClosure? {
    state.withLock { state in if case .closed(let closure) = state.ending { closure } else { nil } }
  }

  /// Sends a close frame, and waits for that of the peer.
  nonisolated(nonsending) func close(_ closure: WebSocketClosure, timeout: Duration) async throws -> WebSocketClosure? {
    let isFirst = state.withLock { state in
      state.isClosing = true
      return state.ending == nil && state.machine.close(closure)
    }
    readMore()
    if isFirst { flush() }
    let alarm = Alarm(clock, at: clock.now + timeout) { [self] in
      end(.failed(error(.connectionLost, "The server did not answer the close frame within \(timeout).")))
      connection.cancel()
    }
    defer { alarm.stop() }
    do {
      try await answers.wait { self.isOver }
    } catch {
      cancel()
      throw error
    }
    return self.closure
  }

  /// Closes without waiting: nobody receives any more.
  func abandon() {
    let isFirst = state.withLock { state in
      state.isClosing = true
      return state.ending == nil && state.machine.close(WebSocketClosure(.goingAway))
    }
    if isFirst { flush() }
    end(.cancelled)
    closeSoon()
  }

  /// Ends the connection at once.
  func cancel() {
    end(.cancelled)
    connection.cancel()
  }
}
