public import CurlewCore
public import FoundationEssentials

/// Answers requests from memory, like a well-behaved transport.
///
/// It reads the whole request body, asks for an answer, reports events and metrics, produces chunks only when they are
/// read, enforces the idle and total timeouts with the exchange's clock, and can be ended with `CancellationError` or
/// `transportShutDown` wherever it waits. Safe from any isolation.
///
/// ```swift
/// let stub = StubTransport { asked in
///   asked.request.url.path == "/teapot" ? StubAnswer(.init(code: 418)) : .text("hello")
/// }
/// ```
public final class StubTransport: Transport {
  /// A request that the stub received.
  public struct Asked: Sendable {
    /// The request.
    public var request: Request
    /// The bytes of its body.
    public var body: Data
    /// Its exchange.
    public var exchange: Exchange
    /// The number of the request, from 0.
    public var index: Int
  }

  /// The capabilities that it simulates.
  public let capabilities: TransportCapabilities
  private let answer: @Sendable (Asked) async throws -> StubAnswer
  private let bodyLimit: Int
  /// The peer of two-way connections; nil if they are refused.
  private let converse: (@Sendable (Asked, DuplexConnection) async -> Void)?
  private let state = Guarded(State())

  private struct State {
    var isShutDown = false
    var next = 0
    var lastKey: UInt64 = 0
    var inFlight: [UInt64: @Sendable () -> Void] = [:]
  }

  /// The default capabilities.
  public static let defaultCapabilities: TransportCapabilities = [
    .backpressure, .metrics, .trailers, .informationalResponses, .streamedUploads, .rawContent, .expectContinue,
  ]

  /// Creates a stub that asks a closure for each answer.
  ///
  /// - Parameters:
  ///   - capabilities: The capabilities that it simulates.
  ///   - bodyLimit: The most bytes of a request's body; a longer one fails with `bodyTooLarge`.
  ///   - answer: Called on the sending task; an error is thrown instead of returning a head.
  public init(
    capabilities: TransportCapabilities = StubTransport.defaultCapabilities, bodyLimit: Int = 64 << 20,
    answer: @escaping @Sendable (Asked) async throws -> StubAnswer
  ) {
    self.capabilities = capabilities
    self.bodyLimit = bodyLimit
    self.answer = answer
    converse = nil
  }

  /// Creates a stub whose connections lead to code; it fails each request with `connectionFailed`.
  ///
  /// ```swift
  /// let stub = StubTransport(conversing: { asked, connection in
  ///   while let bytes = try? await connection.receive() { try? await connection.send(bytes) }
  /// })
  /// ```
  ///
  /// - Parameters:
  ///   - capabilities: The capabilities that it simulates.
  ///   - converse: The peer of each connection, which ends when it returns.
  public init(
    capabilities: TransportCapabilities = StubTransport.defaultCapabilities.union(.duplex),
    conversing converse: @escaping @Sendable (Asked, DuplexConnection) async -> Void
  ) {
    self.capabilities = capabilities
    bodyLimit = 0
    answer = { _ in
      throw NetworkError(.connectionFailed, stage: .connecting, message: "The stub has only two-way connections.")
    }
    self.converse = converse
  }

  /// Creates a stub that asks a closure for each answer, and whose connections lead to code.
  init(
    capabilities: TransportCapabilities,
    answer: @escaping @Sendable (Asked) async throws -> StubAnswer,
    conversing converse: @escaping @Sendable (Asked, DuplexConnection) async -> Void
  ) {
    self.capabilities = capabilities
    bodyLimit = 64 << 20
    self.answer = answer
    self.converse = converse
  }

  /// Creates a stub that gives every request the same answer.
  public convenience init(
    _ answer: StubAnswer, capabilities: TransportCapabilities = StubTransport.defaultCapabilities
  ) {
    self.init(capabilities: capabilities) { _ in answer }
  }

  /// Creates a stub that gives each request the next answer.
  ///
  /// After the last answer, `connectionFailed` is thrown.
  public convenience init(
    script: [StubAnswer], capabilities: TransportCapabilities = StubTransport.defaultCapabilities
  ) {
    self.init(capabilities: capabilities) { asked in
      guard asked.index < script.count else {
        throw NetworkError(.connectionFailed, stage: .connecting, message: "The stub's script has no more answers.")
      }
      return script[asked.index]
    }
  }

  /// The number of sendings that have not ended.
  public var inFlightCount: Int { state.withLock { $0.inFlight.count } }

  /// The number of requests.
  public var requestCount: Int { state.withLock { $0.next } }

  /// Reads the request's body, asks for the answer and returns its head.
  public func send(_ request: Request, in exchange: Exchange) async throws -> Response {
    try Task.checkCancellation()
    try StubRefusals.check(request, in: exchange, capabilities)
    let sending = StubSending(request, exchange)
    let index = try enter(sending)
    do {
      let answer = try await sending.run { [answer, bodyLimit] in
        let body = try await StubUpload.collect(request.body, upTo: bodyLimit, sending)
        return try await answer(Asked(request: request, body: body, exchange: exchange, index: index))
      }
      if let failure = answer.failure { throw failure }
      return try sending.respond(answer)
    } catch {
      throw sending.finish(throwing: error)
    }
  }

  /// Ends the sendings in flight with `transportShutDown`.
  public func shutdown() async {
    let inFlight = state.withLock { state in
      state.isShutDown = true
      return Array(state.inFlight.values)
    }
    for end in inFlight { end() }
  }

  /// Makes a connection in memory, and starts the code at its other end.
  func converse(_ asked: Request, in exchange: Exchange) throws -> DuplexConnection {
    guard let converse else { throw NetworkError.unsupported(.duplex, request: asked) }
    let (ours, theirs) = DuplexConnection.pair()
    let entry: (index: Int, key: UInt64)? = state.withLock { state in
      guard !state.isShutDown else { return nil }
      state.lastKey += 1
      state.inFlight[state.lastKey] = { theirs.cancel() }
      defer { state.next += 1 }
      return (state.next, state.lastKey)
    }
    guard let entry else { throw Self.shutDown }
    Task {
      await converse(Asked(request: asked, body: Data(), exchange: exchange, index: entry.index), theirs)
      theirs.close()
      state.withLock { $0.inFlight[entry.key] = nil }
    }
    return ours
  }

  private func enter(_ sending: StubSending) throws -> Int {
    let entry: (index: Int, key: UInt64)? = state.withLock { state in
      guard !state.isShutDown else { return nil }
      state.lastKey += 1
      state.inFlight[state.lastKey] = { [weak sending] in sending?.interrupt(StubTransport.shutDown) }
      defer { state.next += 1 }
      return (state.next, state.lastKey)
    }
    guard let entry else { throw Self.shutDown }
    sending.onEnd { [weak self] in self?.state.withLock { $0.inFlight[entry.key] = nil } }
    return entry.index
  }

  private static let shutDown = NetworkError(
    .transportShutDown, stage: .preparing, message: "The transport was shut down; make another one.")
}
