public import CurlewCore
public import FoundationEssentials
import HTTPTypes

/// What a rule works with: a transport, and a place at the server for each thing it wants answered.
public final class ConformanceKit: Sendable {
  /// The transport that is checked.
  public let transport: any Transport
  /// The server's side.
  public let endpoint: any ConformanceEndpoint
  /// Makes another transport of the same kind, which is shut down after the rule.
  public let makeTransport: @Sendable () throws -> any Transport
  private let places = Guarded<[ConformancePlace]>([])

  init(
    transport: any Transport, endpoint: any ConformanceEndpoint,
    makeTransport: @escaping @Sendable () throws -> any Transport
  ) {
    self.transport = transport
    self.endpoint = endpoint
    self.makeTransport = makeTransport
  }

  /// Takes the rule's places away and lets everything go that is held there.
  func close() {
    for place in places.withLock({ $0 }) { place.close() }
  }

  // MARK: The server's side

  /// Opens a place that answers each request by a script.
  public func serve(_ script: @escaping @Sendable (ConformanceRequest) -> ConformanceAnswer) -> ConformancePlace {
    let place = endpoint.open(script)
    places.withLock { $0.append(place) }
    return place
  }

  /// Opens a place that answers each request alike.
  public func serve(_ answer: ConformanceAnswer = .text("hello")) -> ConformancePlace { serve { _ in answer } }

  // MARK: The client's side

  /// An exchange with what the endpoint needs, and more.
  public func exchange(
    observer: (any EventObserver)? = nil, _ change: (inout ExchangeSettings) -> Void = { _ in }
  ) -> Exchange {
    var settings = endpoint.settings
    if let observer { settings.observers.append(observer) }
    change(&settings)
    return Exchange(settings)
  }

  /// Sends a request and returns with the head.
  public func send(_ request: Request, in exchange: Exchange? = nil) async throws -> Response {
    try await transport.send(request, in: exchange ?? self.exchange())
  }

  /// Sends a request and reads its body.
  public func fetch(_ request: Request, in exchange: Exchange? = nil) async throws -> (head: ResponseHead, body: Data) {
    let response = try await send(request, in: exchange)
    return (response.head, try await response.body.collect(upTo: 256 << 20))
  }

  /// Fetches a place.
  public func fetch(_ place: ConformancePlace) async throws -> (head: ResponseHead, body: Data) {
    try await fetch(Request(.get, place.url()))
  }

  /// Lets time pass on the transport's own timers: sends what is never answered and waits for its timeout.
  ///
  /// - Throws: `ConformanceFailure` when the timeout does not come.
  public func passTime(_ duration: Duration) async throws {
    let place = serve(ConformanceAnswer(holdsHead: OriginGate()))
    var request = Request(.get, place.url())
    request.options.timeouts.total = duration
    try await expectError(.timedOut, "waiting for a total timeout") { _ = try await self.send(request) }
  }

  // MARK: Judging

  /// Throws `ConformanceFailure` with a sentence unless a condition holds.
  public func expect(_ condition: Bool, _ sentence: @autoclosure () -> String) throws(ConformanceFailure) {
    guard condition else { throw ConformanceFailure(sentence()) }
  }

  /// Throws `ConformanceFailure` when two values differ; the sentence names them.
  public func expectEqual<Value: Equatable>(
    _ found: Value, _ wanted: Value, _ what: @autoclosure () -> String
  ) throws(ConformanceFailure) {
    guard found != wanted else { return }
    throw ConformanceFailure("\(what()): \(brief(found)) instead of \(brief(wanted))")
  }

  /// Throws `ConformanceFailure` unless a body ends in a `NetworkError` of this kind.
  ///
  /// - Parameters:
  ///   - kind: The kind that is right.
  ///   - what: What is done, to begin a sentence with.
  @discardableResult
  public func expectError(
    _ kind: NetworkError.Kind, _ what: String, _ body: () async throws -> Void
  ) async throws -> NetworkError {
    try await expectError([kind], what, body)
  }

  /// The same with several kinds.
  @discardableResult
  public func expectError(
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

  /// Throws `ConformanceFailure` unless a body ends in `CancellationError`.
  public func expectCancellation(_ what: String, _ body: () async throws -> Void) async throws {
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
