public import CurlewCore
public import FoundationEssentials

/// Answers requests from memory, as a well-behaved transport would.
///
/// It takes the whole request body, asks for an answer, reports events and metrics, makes chunks only when they are
/// pulled, keeps the idle and total timeouts by the exchange's clock, and ends with `CancellationError` or
/// `transportShutDown` at every point where it waits. Safe from any isolation.
///
/// ```swift
/// let stub = StubTransport { asked in
///   asked.request.url.path == "/teapot" ? StubAnswer(.init(code: 418)) : .text("hello")
/// }
/// ```
public final class StubTransport: Transport {
  /// A request as it arrived.
  public struct Asked: Sendable {
    /// The request.
    public var request: Request
    /// The bytes of its body.
    public var body: Data
    /// Its exchange.
    public var exchange: Exchange
    /// How many came before, 0….
    public var index: Int
  }

  /// What it stands in for.
  public let capabilities: TransportCapabilities
  private let answer: @Sendable (Asked) async throws -> StubAnswer
  private let bodyLimit: Int
  private let state = Guarded(State())

  private struct State {
    var isShutDown = false
    var next = 0
    var lastKey: UInt64 = 0
    var inFlight: [UInt64: @Sendable () -> Void] = [:]
  }

  /// What a stub stands in for when nothing is said.
  public static let defaultCapabilities: TransportCapabilities = [
    .backpressure, .metrics, .trailers, .informationalResponses, .streamedUploads, .rawContent, .expectContinue,
  ]

  /// Asks a closure for each answer.
  ///
  /// - Parameters:
  ///   - capabilities: What it stands in for.
  ///   - bodyLimit: The most bytes of a request's body; more is `bodyTooLarge`.
  ///   - answer: Called by the task that sends; what it throws is thrown in place of a head.
  public init(
    capabilities: TransportCapabilities = StubTransport.defaultCapabilities, bodyLimit: Int = 64 << 20,
    answer: @escaping @Sendable (Asked) async throws -> StubAnswer
  ) {
    self.capabilities = capabilities
    self.bodyLimit = bodyLimit
    self.answer = answer
  }

  /// Gives every request the same answer.
  public convenience init(
    _ answer: StubAnswer, capabilities: TransportCapabilities = StubTransport.defaultCapabilities
  ) {
    self.init(capabilities: capabilities) { _ in answer }
  }

  /// Gives each request the next answer; past the last one `connectionFailed` is thrown.
  public convenience init(
    script: [StubAnswer], capabilities: TransportCapabilities = StubTransport.defaultCapabilities
  ) {
    self.init(capabilities: capabilities) { asked in
      guard asked.index < script.count else {
        throw NetworkError(.connectionFailed, stage: .connecting, message: "The stub's script is over.")
      }
      return script[asked.index]
    }
  }

  /// How many sendings are not over yet.
  public var inFlightCount: Int { state.withLock { $0.inFlight.count } }

  /// How many requests were sent.
  public var requestCount: Int { state.withLock { $0.next } }

  /// Takes the request's body, asks for the answer and gives its head.
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

  /// Ends what is in flight with `transportShutDown`.
  public func shutdown() async {
    let inFlight = state.withLock { state in
      state.isShutDown = true
      return Array(state.inFlight.values)
    }
    for end in inFlight { end() }
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
