public import CurlewCore
public import FoundationEssentials
import HTTPTypes

/// Gives a rule a transport, and server resources with chosen answers.
public final class ConformanceKit: Sendable {
  /// The transport that is checked.
  public let transport: any Transport
  /// The server.
  package let endpoint: any ConformanceEndpoint
  /// Creates another transport of the same kind, which is shut down after the rule.
  public let makeTransport: @Sendable () throws -> any Transport
  /// Creates another transport of the same kind that is never shut down.
  ///
  /// It ends when its last reference is released.
  let makeDropped: @Sendable () throws -> any Transport
  private let places = Guarded<[ConformancePlace]>([])
  private let endings = Guarded<[@Sendable () -> Void]>([])

  init(
    transport: any Transport, endpoint: any ConformanceEndpoint,
    makeTransport: @escaping @Sendable () throws -> any Transport,
    makeDropped: @escaping @Sendable () throws -> any Transport
  ) {
    self.transport = transport
    self.endpoint = endpoint
    self.makeTransport = makeTransport
    self.makeDropped = makeDropped
  }

  /// Removes the rule's resources and releases everything that is held there.
  func close() {
    for place in places.withLock({ $0 }) { place.close() }
    for end in endings.withLock({ $0 }) { end() }
  }

  /// What came over the wire, as the server saw it; the first lines.
  var wire: [String] { Array(places.withLock { $0 }.flatMap(\.wire).prefix(24)) }

  // MARK: The server's side

  /// Creates a resource that answers each request by a script.
  public func serve(_ script: @escaping @Sendable (ConformanceRequest) -> ConformanceAnswer) -> ConformancePlace {
    let place = endpoint.open(script)
    places.withLock { $0.append(place) }
    return place
  }

  /// Creates a resource that gives each request the same answer.
  public func serve(_ answer: ConformanceAnswer = .text("hello")) -> ConformancePlace { serve { _ in answer } }

  /// Registers a closure to call when the rule is over.
  package func atEnd(_ work: @escaping @Sendable () -> Void) { endings.withLock { $0.append(work) } }

  // MARK: The client's side

  /// Returns an exchange with the settings that the endpoint needs, and others.
  public func exchange(
    observer: (any EventObserver)? = nil, _ change: (inout ExchangeSettings) -> Void = { _ in }
  ) -> Exchange {
    var settings = endpoint.settings
    if let observer { settings.observers.append(observer) }
    change(&settings)
    return Exchange(settings)
  }

  /// Sends a request and returns after the head.
  public func send(_ request: Request, in exchange: Exchange? = nil) async throws -> Response {
    let what: @Sendable () -> String = {
      "the head of the response to \(request.method.rawValue) \(request.url.path(percentEncoded: true))"
    }
    return try await ConformanceWaits.waiting(for: what) {
      try await transport.send(request, in: exchange ?? self.exchange())
    }
  }

  /// Sends a request and reads its body.
  public func fetch(_ request: Request, in exchange: Exchange? = nil) async throws -> (head: ResponseHead, body: Data) {
    let response = try await send(request, in: exchange)
    return (response.head, try await collect(response.body, upTo: 256 << 20))
  }

  /// Reads a body to its end.
  package func collect(_ body: ResponseBody, upTo limit: Int) async throws -> Data {
    try await ConformanceWaits.waiting(for: { "the end of the body of a response" }) {
      try await body.collect(upTo: limit)
    }
  }

  /// Drains a body into a sink.
  func drain(_ body: ResponseBody, into sink: some BodySink) async throws {
    try await ConformanceWaits.waiting(for: { "the end of a body that a sink takes" }) {
      try await body.drain(into: sink)
    }
  }

  /// Shuts the transport down.
  func shutDown() async {
    await ConformanceWaits.waiting(for: { "the end of shutdown()" }) { await transport.shutdown() }
  }

  /// Waits until an observer has been told that so many bytes of a body arrived.
  ///
  /// A transport that measures tells its metrics after that, which is waited for too.
  func received(_ count: Int64, by observer: RecordingObserver) async throws {
    _ = try await observer.first("the event received with \(count) bytes") { event in
      if case .received(count, _) = event.kind { true } else { false }
    }
    if transport.capabilities.contains(.metrics) { _ = try await observer.first(named: "measured") }
  }

  /// Fetches a resource.
  public func fetch(_ place: ConformancePlace) async throws -> (head: ResponseHead, body: Data) {
    try await fetch(Request(.get, place.url()))
  }

  /// Waits with the transport's own timers.
  ///
  /// It sends a request that is never answered, and waits for its timeout.
  ///
  /// - Throws: `ConformanceFailure` when the timeout does not occur.
  package func passTime(_ duration: Duration) async throws {
    let place = serve(ConformanceAnswer(holdsHead: OriginGate()))
    var request = Request(.get, place.url())
    request.options.timeouts.total = duration
    try await expectError(.timedOut, "waiting for a total timeout") { _ = try await self.send(request) }
  }

  // MARK: Judging

  /// Throws `ConformanceFailure` unless a condition is true.
  public func expect(_ condition: Bool, _ sentence: @autoclosure () -> String) throws(ConformanceFailure) {
    guard condition else { throw ConformanceFailure(sentence()) }
  }

  /// Throws `ConformanceFailure` unless two values are equal.
  public func expectEqual<Value: Equatable>(
    _ found: Value, _ wanted: Value, _ what: @autoclosure () -> String
  ) throws(ConformanceFailure) {
    guard found != wanted else { return }
    throw ConformanceFailure("\(what()): \(brief(found)) instead of \(brief(wanted))")
  }

  /// Throws `ConformanceFailure` unless a closure throws an error of a kind.
  ///
  /// - Parameters:
  ///   - kind: The expected kind of `NetworkError`.
  ///   - what: The action, for the start of the sentence.
  @discardableResult
  public func expectError(
    _ kind: NetworkError.Kind, _ what: String, _ body: () async throws -> Void
  ) async throws -> NetworkError {
    try await expectError([kind], what, body)
  }

  /// Expects an error of one of several kinds, and returns it.
  @discardableResult
  package func expectError(
    _ kinds: [NetworkError.Kind], _ what: String, _ body: () async throws -> Void
  ) async throws -> NetworkError {
    let wanted = kinds.map(\.rawValue).joined(separator: " or ")
    do {
      try await body()
    } catch let error as NetworkError {
      guard kinds.contains(error.kind) else {
        throw ConformanceFailure("\(what) ended in \(error.kind.rawValue) instead of \(wanted): \(error)")
      }
      return error
    } catch let failure as ConformanceFailure {
      throw failure
    } catch {
      throw ConformanceFailure("\(what) ended in \(type(of: error)) instead of \(wanted): \(error)")
    }
    throw ConformanceFailure("\(what) succeeded instead of ending in \(wanted)")
  }

  /// Throws `ConformanceFailure` unless a closure throws `CancellationError`.
  package func expectCancellation(_ what: String, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch is CancellationError {
      return
    } catch let failure as ConformanceFailure {
      throw failure
    } catch {
      throw ConformanceFailure("\(what) ended in \(error) instead of CancellationError")
    }
    throw ConformanceFailure("\(what) succeeded instead of ending in CancellationError")
  }

  private func brief(_ value: some Any) -> String {
    let text = String(describing: value)
    return text.count > 400 ? text.prefix(400) + "…" : text
  }
}
