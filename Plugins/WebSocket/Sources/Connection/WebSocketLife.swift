import CurlewCore
import FoundationEssentials
import Synchronization

/// The life of one connection: a task reads it, another one keeps it alive, and the app's tasks send and receive.
///
/// The `WebSocketMachine` decides, under one lock; the bytes that it writes are passed on in their order.
final class WebSocketLife: Sendable {
  private enum Ending {
    case closed(WebSocketClosure)
    case failed(any Error)
    case cancelled
  }

  private struct State: ~Copyable {
    var machine: WebSocketMachine
    /// The messages that were not received yet, from `next` on.
    var messages: [WebSocketMessage] = []
    var next = 0
    var bufferedBytes = 0
    var ending: Ending?
    /// Whether the app closes, so that later messages that do not fit are dropped.
    var isClosing = false
    var isFlushing = false
    /// The number of the newest ping, and of the newest one that was answered.
    var pings: UInt64 = 0
    var pongs: UInt64 = 0
    var lastMotion: ContinuousClock.Instant
    var tasks: [Task<Void, Never>] = []

    init(_ machine: consuming sending WebSocketMachine, at now: ContinuousClock.Instant) {
      self.machine = machine
      lastMotion = now
    }
  }

  /// How long the other side may take to end the connection, and to read the last bytes.
  private static let patience = Duration.seconds(2)

  private let connection: DuplexConnection
  private let limits: WebSocketLimits
  private let clock: any NetworkClock
  private let request: Request
  private let state: Mutex<State>
  /// Rings when there is a message, or the end.
  private let arrival = Bell()
  /// Rings when there is room for messages, or the end.
  private let room = Bell()
  /// Rings for pongs and the end.
  private let answers = Bell()

  init(
    _ connection: DuplexConnection, _ machine: consuming sending WebSocketMachine, _ limits: WebSocketLimits,
    _ clock: any NetworkClock, _ request: Request
  ) {
    self.connection = connection
    self.limits = limits
    self.clock = clock
    self.request = request
    state = Mutex(State(machine, at: clock.now))
  }

  /// Starts to read.
  ///
  /// - Parameter rest: What arrived with the handshake.
  func start(_ rest: Data, idleLimit: Duration?) {
    var tasks = [Task { await self.read(rest) }]
    if let idleLimit, idleLimit > .zero { tasks.append(Task { await self.keepAlive(idleLimit) }) }
    let isOver = state.withLock { [tasks] state in
      state.tasks = tasks
      return state.ending != nil
    }
    if isOver { for task in tasks.dropFirst() { task.cancel() } }
  }

  // MARK: Reading

  private func read(_ rest: Data) async {
    do {
      if !rest.isEmpty { take(rest) }
      while !isOver {
        try await room.wait { self.hasRoom }
        guard !isOver else { break }
        guard let bytes = try await connection.receive() else {
          throw error(.connectionLost, "The server ended the connection without a close frame.")
        }
        take(bytes)
      }
      await linger()
    } catch {
      end(.failed(error is CancellationError ? self.error(.connectionLost, "The connection was cancelled.") : error))
    }
    closeSoon()
  }

  private var isOver: Bool { state.withLock { $0.ending != nil } }

  private var hasRoom: Bool {
    state.withLock { $0.bufferedBytes < limits.bufferedBytes || $0.isClosing || $0.ending != nil }
  }

  /// Reads bytes of the peer, and does what follows from them.
  private func take(_ bytes: Data) {
    let ending = state.withLock { state -> Ending? in
      state.lastMotion = clock.now
      var ending: Ending?
      for event in bytes.withUnsafeBytes({ state.machine.receive($0) }) {
        switch event {
        case .message(let message):
          guard !state.isClosing || state.bufferedBytes < limits.bufferedBytes else { break }
          state.messages.append(message)
          state.bufferedBytes += max(1, message.count)
        case .pong(let payload):
          guard let number = Self.number(payload), number <= state.pings else { break }
          state.pongs = max(state.pongs, number)
        case .closed(let closure): ending = .closed(closure)
        case .failed(let violation):
          ending = .failed(
            error(.protocolViolation, "The server broke the protocol of WebSocket: \(violation)", violation))
        }
      }
      return ending
    }
    flush()
    if let ending { end(ending) }
    arrival.ring()
    answers.ring()
  }

  /// Waits for the server to end the connection, which is its part (RFC 6455 §7.1.1), for a short time.
  private func linger() async {
    let alarm = Alarm(clock, at: clock.now + Self.patience) { [connection] in connection.cancel() }
    defer { alarm.stop() }
    while (try? await connection.receive()) != nil {}
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
    let tasks = state.withLock { state in
      if state.ending == nil { state.ending = ending }
      let others = Array(state.tasks.dropFirst())
      state.tasks = []
      return others
    }
    for task in tasks { task.cancel() }
    arrival.ring()
    room.ring()
    answers.ring()
  }

  private func error(
    _ kind: NetworkError.Kind, _ message: String, _ cause: (any Error)? = nil
  ) -> NetworkError {
    NetworkError(kind, stage: .receivingBody, message: message, underlying: cause).with { details in
      details.request = request
      details.maybeProcessed = true
    }
  }

  // MARK: Writing

  /// Passes on what the machine has written; one thread at a time, so that the order stays.
  private func flush() {
    let begins = state.withLock { state in
      guard !state.isFlushing else { return false }
      state.isFlushing = true
      return true
    }
    guard begins else { return }
    while true {
      let bytes = state.withLock { state -> [UInt8] in
        let bytes = state.machine.takeOutput()
        if bytes.isEmpty { state.isFlushing = false }
        return bytes
      }
      guard !bytes.isEmpty else { return }
      // A connection that has ended tells its reader why.
      try? connection.write(Data(bytes))
    }
  }

  func send(_ message: WebSocketMessage) async throws {
    let isTaken = state.withLock { $0.ending == nil && $0.machine.send(message) }
    guard isTaken else { throw ended() }
    flush()
    do {
      try await connection.writable()
    } catch let error as CancellationError where Task.isCancelled {
      throw error
    } catch {
      throw state.withLock { $0.ending == nil } ? error : ended()
    }
  }

  /// The error of what needs an open connection.
  private func ended() -> any Error {
    state.withLock { state -> any Error in
      switch state.ending {
      case .failed(let error): error
      case .cancelled: CancellationError()
      case .closed, nil:
        NetworkError(.connectionLost, stage: .sending, message: "The WebSocket is closed, so nothing can be sent.")
          .with { $0.request = request }
      }
    }
  }

  func ping() async throws -> Duration {
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
        if state.bufferedBytes >= limits.bufferedBytes { state.lastMotion = now }
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

  func receive() async throws -> WebSocketMessage? {
    while true {
      let (message, ending) = state.withLock { state -> (WebSocketMessage?, Ending?) in
        guard state.next < state.messages.count else { return (nil, state.ending) }
        let message = state.messages[state.next]
        state.messages[state.next] = .binary(Data())
        state.next += 1
        state.bufferedBytes -= max(1, message.count)
        if state.next == state.messages.count {
          state.messages.removeAll(keepingCapacity: state.next <= 64)
          state.next = 0
        }
        return (message, nil)
      }
      if let message {
        room.ring()
        return message
      }
      switch ending {
      case .closed: return nil
      case .failed(let error): throw error
      case .cancelled: throw CancellationError()
      case nil: break
      }
      do {
        try await arrival.wait { self.state.withLock { $0.next < $0.messages.count || $0.ending != nil } }
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
  func close(_ closure: WebSocketClosure, timeout: Duration) async throws -> WebSocketClosure? {
    let isFirst = state.withLock { state in
      state.isClosing = true
      return state.ending == nil && state.machine.close(closure)
    }
    room.ring()
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
