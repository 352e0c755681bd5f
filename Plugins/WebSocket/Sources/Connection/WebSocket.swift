public import CurlewCore
public import CurlewSerialization
import CurlewSession
public import FoundationEssentials

/// An open WebSocket (RFC 6455): messages go out and come in, in order.
///
/// ```swift
/// let socket = try await session.webSocket("chat")
/// try await socket.send("hello")
/// for try await message in socket.messages { print(message) }
/// ```
///
/// Messages that nobody receives stay with the server once `WebSocketLimits.bufferedBytes` are waiting, and `send` waits while the server
/// does not read. Pings of the server are answered by themselves. One task at a time may receive; any number may send. Cancelling the
/// task that receives closes the connection with 1001, and so does releasing the object. The session's transport lives as long as the
/// object. Safe from any isolation.
public final class WebSocket: Sendable {
  private let life: WebSocketLife
  private let session: HTTPSession
  private let options: WebSocketOptions
  /// The head of the server's answer to the handshake, 101.
  public let response: ResponseHead
  /// How the connection was made, and what the handshake took.
  public let metrics: [ExchangeMetrics]
  /// The subprotocol that the server chose; nil for none.
  public let subprotocol: String?
  /// Whether messages may be compressed.
  public let isCompressed: Bool

  init(
    _ life: WebSocketLife, _ session: HTTPSession, _ options: WebSocketOptions, _ response: ResponseHead,
    _ metrics: [ExchangeMetrics], _ agreement: UpgradeAgreement
  ) {
    self.life = life
    self.session = session
    self.options = options
    self.response = response
    self.metrics = metrics
    subprotocol = agreement.subprotocol
    isCompressed = agreement.compression != nil
  }

  deinit { life.abandon() }

  // MARK: Receiving

  /// The messages, to their end.
  ///
  /// The sequence ends when the server has closed, with any code (`closure`). It throws what `receive` throws.
  public var messages: WebSocketMessages { WebSocketMessages(socket: self) }

  /// Returns the next message; nil when the server has closed.
  ///
  /// - Throws: `NetworkError`: `connectionLost` when the connection ended without a close frame, or nothing arrived within the idle
  ///   limit; `protocolViolation` with a `WebSocketViolation` as its cause when the server broke a rule or a limit; `CancellationError` when the
  ///   task or the socket was cancelled.
  public nonisolated(nonsending) func receive() async throws -> WebSocketMessage? { try await life.receive() }

  // MARK: Sending

  /// Sends a text, and returns when the connection takes more.
  ///
  /// That says nothing about the server having it. A message that was taken is sent once; it is never repeated on another connection.
  ///
  /// - Throws: `NetworkError` of kind `connectionLost` when the socket is closed, or the error with which it ended; `CancellationError`
  ///   when the task was cancelled, in which case the message may be on its way.
  public nonisolated(nonsending) func send(_ text: String) async throws { try await life.send(.text(text)) }

  /// Sends bytes; see `send(_:)` for a text.
  public nonisolated(nonsending) func send(_ data: Data) async throws { try await life.send(.binary(data)) }

  /// Sends a message; see `send(_:)` for a text.
  public nonisolated(nonsending) func send(_ message: WebSocketMessage) async throws { try await life.send(message) }

  /// Sends a ping, and returns the time until its pong.
  ///
  /// - Throws: The errors of `receive`.
  @discardableResult
  public nonisolated(nonsending) func ping() async throws -> Duration { try await life.ping() }

  // MARK: Values

  /// Sends a value in a format, as a text if its bytes are UTF-8, else as bytes.
  ///
  /// - Parameter coding: The format; nil uses the first one of the session.
  /// - Throws: `NetworkError` of kind `serializationFailed`, and the errors of `send`.
  public nonisolated(nonsending) func send(
    _ value: some Encodable & Sendable, by coding: (any ValueCoding)? = nil
  ) async throws {
    let data: Data
    do {
      data = try ready(coding).encode(value)
    } catch let error as NetworkError {
      throw error
    } catch {
      throw NetworkError(
        .serializationFailed, stage: .preparing, message: "The message cannot be encoded: \(error)", underlying: error)
    }
    try await send(String(validating: data, as: UTF8.self).map { .text($0) } ?? .binary(data))
  }

  /// Returns the messages as values of a type.
  ///
  /// A message that cannot be decoded is an error of kind `serializationFailed`; the sequence can be continued after it.
  ///
  /// - Parameter coding: The format; nil uses the first one of the session.
  public func messages<Value: Decodable & Sendable>(
    as type: Value.Type, by coding: (any ValueCoding)? = nil
  ) -> WebSocketValues<Value> {
    WebSocketValues(socket: self, coding: coding)
  }

  func ready(_ coding: (any ValueCoding)?) throws(NetworkError) -> any ValueCoding {
    guard let coding = coding ?? session.configuration.coding else {
      throw NetworkError(
        .serializationFailed, stage: .preparing, message: "The session has no format.",
        advice: "Name one, such as .json.")
    }
    return coding
  }

  // MARK: The end

  /// How the server closed; nil as long as it has not, and if the connection ended otherwise.
  public var closure: WebSocketClosure? { life.closure }

  /// Closes: sends a close frame, and waits for that of the server.
  ///
  /// Messages that have arrived can still be received; later ones are dropped when they do not fit.
  ///
  /// - Parameters:
  ///   - code: The code; one that may be sent (`WebSocketCloseCode.mayBeSent`).
  ///   - reason: A text for people, at most 123 bytes in UTF-8.
  /// - Returns: The server's close frame; nil if it did not send one within `WebSocketOptions.closeTimeout`, or the connection was lost.
  /// - Throws: `NetworkError` of kind `invalidRequest` if the code or the reason cannot be sent; `CancellationError` when the task was
  ///   cancelled, which ends the connection at once.
  @discardableResult
  public nonisolated(nonsending) func close(
    _ code: WebSocketCloseCode = .normal, reason: String = ""
  ) async throws -> WebSocketClosure? {
    guard code.mayBeSent, reason.utf8.count <= 123 else {
      throw NetworkError(
        .invalidRequest, stage: .preparing,
        message:
          "A close frame takes a code from 1000 to 1003, 1007 to 1014 or 3000 to 4999, and a reason of at most 123 bytes."
      )
    }
    return try await life.close(WebSocketClosure(code, reason: reason), timeout: options.closeTimeout)
  }

  /// Ends the connection at once, without a close frame.
  public func cancel() { life.cancel() }
}

/// The messages of a WebSocket; all iterators share them.
public struct WebSocketMessages: AsyncSequence, Sendable {
  /// A message.
  public typealias Element = WebSocketMessage
  let socket: WebSocket

  /// Starts to receive.
  public func makeAsyncIterator() -> Iterator { Iterator(socket: socket) }

  /// Receives one message after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let socket: WebSocket

    /// Returns the next message; see `WebSocket.receive()`.
    public nonisolated(nonsending) mutating func next() async throws -> WebSocketMessage? { try await socket.receive() }
  }
}

/// The messages of a WebSocket as values of a type; all iterators share them.
public struct WebSocketValues<Value: Decodable & Sendable>: AsyncSequence, Sendable {
  /// A value.
  public typealias Element = Value
  let socket: WebSocket
  let coding: (any ValueCoding)?

  /// Starts to receive.
  public func makeAsyncIterator() -> Iterator { Iterator(socket: socket, coding: coding) }

  /// Receives one value after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let socket: WebSocket
    let coding: (any ValueCoding)?

    /// Returns the next value; nil when the server has closed.
    ///
    /// - Throws: `NetworkError` of kind `serializationFailed`, and the errors of `WebSocket.receive()`.
    public nonisolated(nonsending) mutating func next() async throws -> Value? {
      guard let message = try await socket.receive() else { return nil }
      let coding = try socket.ready(coding)
      do {
        return try coding.decode(Value.self, from: message.data, nil)
      } catch {
        throw NetworkError(
          .serializationFailed, stage: .decoding, message: "A message cannot be decoded as \(Value.self): \(error)",
          underlying: error)
      }
    }
  }
}
