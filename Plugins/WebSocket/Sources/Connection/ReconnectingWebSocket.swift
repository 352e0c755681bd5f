public import CurlewCore
public import CurlewLoading
public import CurlewSerialization
public import CurlewSession
public import HTTPTypes
import Synchronization

/// When and how a WebSocket is opened again after it was lost.
public struct WebSocketReconnection: Sendable {
  /// How often and when an opening that fails is tried again; ten times by default.
  public var retry = RetryPolicy(limit: 10)
  /// The close codes after which it is opened again; others end the messages.
  ///
  /// By default 1001, 1011, 1012 and 1013: the server goes, failed, restarts, or is overloaded.
  public var codes: Set<WebSocketCloseCode> = [.goingAway, .internalError, .serviceRestart, .tryAgainLater]
  /// How many connections in a row may end without a message; 10 by default, nil sets no limit.
  public var fruitlessLimit: Int? = 10
  /// The longest wait before the second of such connections; half a second by default.
  ///
  /// It doubles with each, up to `longestDelay`; chance shortens it by up to a half.
  public var delay = Duration.milliseconds(500)
  /// The longest wait before a connection; 30 seconds by default.
  public var longestDelay = Duration.seconds(30)
  /// The source of randomness, 0 to 1.
  public var random: @Sendable () -> Double = { .random(in: 0...1) }
  /// Called with each new connection, and its number from 1, before its messages are received.
  ///
  /// It sends what the server must know to go on, such as the number of the last message that arrived, and what the app wants to send
  /// again: nothing is sent a second time without it. An error that may be temporary counts as a lost connection; any other ends the
  /// messages.
  public var resume: @Sendable (_ socket: WebSocket, _ number: Int) async throws -> Void

  /// Creates the default rules.
  public init(resume: @escaping @Sendable (_ socket: WebSocket, _ number: Int) async throws -> Void = { _, _ in }) {
    self.resume = resume
  }
}

/// A WebSocket that is opened again after it was lost; its messages are those of all connections.
///
/// It opens the first connection when the first message is asked for. Messages that were lost with a connection are the server's to send
/// again, as `WebSocketReconnection.resume` asks. One task at a time may receive.
///
/// ```swift
/// let last = Mutex(0)
/// let feed = session.reconnectingWebSocket("feed", reconnection: WebSocketReconnection { socket, _ in
///   try await socket.send("since \(last.withLock { $0 })")
/// })
/// for try await message in feed.messages { last.withLock { $0 += 1 } }
/// ```
public final class ReconnectingWebSocket: Sendable {
  private struct State {
    var socket: WebSocket?
    /// What waits for the next connection and opens it.
    var opening: Task<WebSocket, any Error>?
    var number = 0
    var fruitless = 0
    var isFinished = false
    /// Whether the app has closed it.
    var isClosed = false
  }

  private let reconnection: WebSocketReconnection
  private let clock: any NetworkClock
  private let open: @Sendable () async throws -> WebSocket
  private let state = Mutex(State())

  init(
    _ reconnection: WebSocketReconnection, _ clock: any NetworkClock,
    _ open: @escaping @Sendable () async throws -> WebSocket
  ) {
    self.reconnection = reconnection
    self.clock = clock
    self.open = open
  }

  /// The messages of all connections, in the order of their arrival.
  public var messages: ReconnectingMessages { ReconnectingMessages(socket: self) }

  /// The connection that is open; nil between two.
  public var current: WebSocket? { state.withLock { $0.socket } }

  /// Sends a message on the connection that is open, once.
  ///
  /// - Throws: `NetworkError` of kind `connectionLost` without one; the errors of `WebSocket.send`.
  public func send(_ message: WebSocketMessage) async throws {
    guard let current else {
      throw NetworkError(.connectionLost, stage: .sending, message: "The WebSocket is not open, so nothing was sent.")
    }
    try await current.send(message)
  }

  /// Sends a text on the connection that is open, once.
  public func send(_ text: String) async throws { try await send(.text(text)) }

  /// Closes, and ends the messages; between two connections, nothing is opened any more.
  ///
  /// - Throws: The errors of `WebSocket.close`.
  @discardableResult
  public func close(
    _ code: WebSocketCloseCode = .normal, reason: String = ""
  ) async throws -> WebSocketClosure? {
    let (socket, opening) = state.withLock { state in
      (state.isFinished, state.isClosed) = (true, true)
      return (state.socket, state.opening)
    }
    opening?.cancel()
    return try await socket?.close(code, reason: reason)
  }

  /// Returns the next message; nil at the end.
  ///
  /// - Throws: The error of the last opening, or of the last connection when too many were fruitless; `protocolViolation`;
  ///   `CancellationError`.
  public func receive() async throws -> WebSocketMessage? {
    while let ready = connection() {
      do {
        let socket = try await ready()
        if let message = try await socket.receive() {
          state.withLock { $0.fruitless = 0 }
          return message
        }
        let isTemporary = socket.closure.map { reconnection.codes.contains($0.code) } ?? false
        guard isTemporary, !isClosed else {
          finish()
          return nil
        }
        try noteLoss(
          NetworkError(.connectionLost, stage: .receivingBody, message: "The server closed again and again."))
      } catch  where isClosed && !Task.isCancelled {
        // The app has closed it in the meantime.
        finish()
        return nil
      } catch let error as NetworkError where error.kind == .connectionLost {
        try noteLoss(error)
      } catch {
        finish()
        throw error
      }
    }
    return nil
  }

  private var isClosed: Bool { state.withLock { $0.isClosed } }

  private func finish() {
    state.withLock { state in
      state.isFinished = true
      state.socket = nil
    }
  }

  /// Records a connection that was lost.
  ///
  /// - Throws: The error, when too many were lost.
  private func noteLoss(_ error: NetworkError) throws {
    let isLast = state.withLock { state in
      state.socket = nil
      state.fruitless += 1
      return state.isFinished || reconnection.fruitlessLimit.map { state.fruitless > $0 } ?? false
    }
    guard isLast else { return }
    finish()
    throw error
  }

  /// Returns what gives the open connection or opens a new one; nil after the end.
  private func connection() -> (@Sendable () async throws -> WebSocket)? {
    state.withLock { state in
      if let socket = state.socket { return { socket } }
      guard !state.isFinished else { return nil }
      let (number, fruitless) = (state.number + 1, state.fruitless)
      let opening = Task { try await self.opened(number, after: fruitless) }
      state.opening = opening
      return {
        try await withTaskCancellationHandler {
          try await opening.value
        } onCancel: {
          opening.cancel()
        }
      }
    }
  }

  /// Opens a connection, and publishes it.
  ///
  /// - Throws: `CancellationError` if the app has closed in the meantime.
  private func opened(_ number: Int, after fruitless: Int) async throws -> WebSocket {
    defer { state.withLock { $0.opening = nil } }
    if fruitless > 1 { try await clock.sleep(until: clock.now + wait(fruitless)) }
    let socket = try await self.open()
    do {
      try Task.checkCancellation()
      try await reconnection.resume(socket, number)
    } catch {
      socket.cancel()
      throw error
    }
    let isTaken = state.withLock { state in
      guard !state.isFinished else { return false }
      (state.number, state.socket) = (number, socket)
      return true
    }
    guard isTaken else {
      socket.cancel()
      throw CancellationError()
    }
    return socket
  }

  private func wait(_ fruitless: Int) -> Duration {
    var wait = max(.zero, reconnection.delay)
    var left = fruitless - 2
    while left > 0, wait > .zero, wait < reconnection.longestDelay {
      wait += wait
      left -= 1
    }
    let chance = reconnection.random()
    return min(wait, reconnection.longestDelay) * (0.5 + 0.5 * (chance >= 0 && chance <= 1 ? chance : 1))
  }
}

/// The messages of a `ReconnectingWebSocket`; all iterators share them.
public struct ReconnectingMessages: AsyncSequence, Sendable {
  /// A message.
  public typealias Element = WebSocketMessage
  let socket: ReconnectingWebSocket

  /// Starts to receive.
  public func makeAsyncIterator() -> Iterator { Iterator(socket: socket) }

  /// Receives one message after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let socket: ReconnectingWebSocket

    /// Returns the next message; see `ReconnectingWebSocket.receive()`.
    public mutating func next() async throws -> WebSocketMessage? { try await socket.receive() }
  }
}

extension HTTPSession {
  /// Returns a WebSocket that is opened again after it was lost.
  ///
  /// - Parameters:
  ///   - path: A path, or a whole URL.
  ///   - options: The options of each handshake.
  ///   - webSocket: Subprotocols, compression, limits and timeouts of each connection.
  ///   - reconnection: When it is opened again, and how it goes on.
  public func reconnectingWebSocket(
    _ path: String, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), webSocket: WebSocketOptions = WebSocketOptions(),
    reconnection: WebSocketReconnection = WebSocketReconnection()
  ) -> ReconnectingWebSocket {
    let session = with { $0.retry = reconnection.retry }
    return ReconnectingWebSocket(reconnection, configuration.settings.clock) {
      try await session.webSocket(
        path, parameters: parameters, headerFields: headerFields, options: options, webSocket: webSocket)
    }
  }
}
