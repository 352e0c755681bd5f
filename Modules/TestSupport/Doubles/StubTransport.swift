public import CurlewCore
public import CurlewSerialization
public import CurlewSession
public import FoundationEssentials
public import HTTPTypes

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
        throw NetworkError(
          .connectionFailed, stage: .connecting, message: "The stub's script has no more answers.",
          advice: "Give it an answer for each request, and one for each repetition.")
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
    .transportShutDown, stage: .preparing, message: "The transport was shut down.", advice: "Make another one.")
}

/// One end of a connection in memory; bytes that one side writes arrive at the other.
private final class PairedEnd: DuplexDriver {
  private enum Work: Sendable {
    /// This side has written.
    case carry
    /// The other side has read.
    case goOn
  }

  private struct State {
    var work = WorkQueue<Work>()
    /// Whether the other side has enough.
    var isHeld = false
    var peer: PairedEnd?
  }

  let channel = DuplexChannel()
  private let state = Guarded(State())

  func join(_ peer: PairedEnd) {
    state.withLock { $0.peer = peer }
    channel.connect(self)
  }

  func resumeSending() { work(.carry) }

  func resumeReceiving() { state.withLock { $0.peer }?.work(.goOn) }

  func stop() {
    end(telling: NetworkError(.connectionLost, stage: .receivingBody, message: "The other side cancelled."))
  }

  private func end(telling error: NetworkError?) {
    let peer = state.withLock { state in
      defer { state.peer = nil }
      return state.peer
    }
    if let error { peer?.channel.finish(error) } else { peer?.channel.endReceiving() }
    channel.finish(nil)
  }

  /// Passes on what this side writes, one thread at a time, until the other side has enough.
  private func work(_ work: Work) {
    let begins = state.withLock { state in
      state.work.add(work)
      return state.work.begin()
    }
    guard begins else { return }
    while true {
      let (next, peer) = state.withLock { state -> (Work?, PairedEnd?) in
        let next = state.work.next()
        if case .goOn = next { state.isHeld = false }
        return (next, state.isHeld ? nil : state.peer)
      }
      guard next != nil else { return }
      if let peer { carry(to: peer) }
    }
  }

  private func carry(to peer: PairedEnd) {
    while true {
      switch channel.nextToSend() {
      case .bytes(let bytes):
        // They count as sent before the other end has them: it may end the connection at once, from another thread.
        channel.sent(bytes.count)
        let demand = bytes.withUnsafeBytes { peer.channel.put($0) }
        guard demand == .pause else { continue }
        return state.withLock { $0.isHeld = true }
      case .wait: return
      case .close: return end(telling: nil)
      }
    }
  }
}

extension DuplexConnection {
  /// Creates the two ends of a connection in memory.
  ///
  /// Each waits when the other does not read. When one is cancelled or released, the other gets `connectionLost`.
  public static func pair() -> (DuplexConnection, DuplexConnection) {
    let (left, right) = (PairedEnd(), PairedEnd())
    left.join(right)
    right.join(left)
    return (DuplexConnection(left.channel), DuplexConnection(right.channel))
  }
}

extension StubTransport: DuplexTransport {
  /// Makes a connection in memory, and starts the code at its other end.
  public nonisolated(nonsending) func connect(
    _ request: Request, in exchange: Exchange
  ) async throws -> DuplexConnection {
    try Task.checkCancellation()
    var request = request
    request.options.needs.insert(.duplex)
    try StubRefusals.check(request, in: exchange, capabilities)
    let connection = try converse(request, in: exchange)
    exchange.emit(.connected(reused: false))
    return connection
  }
}

extension StubTransport {
  /// Creates a stub that answers an endpoint with a value.
  ///
  /// Every other request receives a 404. The value is encoded in a format and decoded by the endpoint's serializer, so that
  /// status, type and decoding are tested, too. A request belongs to the endpoint if method and path are equal; with a base
  /// URL, if its path ends with the endpoint's.
  ///
  /// ```swift
  /// let session = HTTPSession(StubTransport(answering: GetBird(id: 7), with: bird, as: .json)) { $0.coding = .json }
  /// ```
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint that is answered.
  ///   - value: The output of the endpoint.
  ///   - coding: The format of the response.
  ///   - status: The status of the response.
  public convenience init<Asked: Endpoint>(
    answering endpoint: Asked, with value: Asked.Output, as coding: some ValueCoding,
    status: HTTPResponse.Status = .ok
  ) where Asked.Output: Encodable {
    self.init { asked in
      guard endpoint.isMeant(by: asked.request) else { return StubAnswer(.notFound) }
      return StubAnswer(
        status, headerFields: [.contentType: coding.mediaType.description], body: [.bytes(try coding.encode(value))])
    }
  }
}

extension Endpoint {
  /// Returns whether a request belongs to this endpoint.
  fileprivate func isMeant(by request: Request) -> Bool {
    guard request.method == method else { return false }
    let whole = path.prefix { $0 != "?" && $0 != "#" }
    if whole.contains("://") { return request.url.absoluteString.prefix { $0 != "?" && $0 != "#" } == whole }
    let wanted = whole.split(separator: "/")
    return request.url.path(percentEncoded: true).split(separator: "/").suffix(wanted.count).elementsEqual(wanted)
  }
}

/// The checks of every transport before a byte is sent.
enum StubRefusals {
  static func check(
    _ request: Request, in exchange: Exchange, _ capabilities: TransportCapabilities
  ) throws(NetworkError) {
    _ = try RequestCheck.origin(of: request)
    try RequestCheck.validate(request, in: exchange, for: capabilities)
  }
}
