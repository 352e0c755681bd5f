/// Transports by name; each request goes to the first one that has the capabilities which the request needs.
///
/// It is a transport itself, and injected like any other. A request that asks for HTTP/2, a pin, a client identity, a Unix socket
/// or anything else in `TransportCapabilities` passes over the transports that lack it. `RequestOptions.needs` names what the other
/// options do not imply, such as trailers. Each transport keeps its own connections, TLS sessions and trust decisions; none is
/// shared.
///
/// ```swift
/// let transports = TransportRegistry()
///   .adding("curl") { try .curl() }
///   .adding("urlsession") { URLSessionTransport() }
/// let session = try HTTPSession().with { $0.transport = .made { transports } }
/// ```
///
/// A transport is created when the registry is first asked for its capabilities or for a request. One that cannot be created is
/// passed over, and created again for the next request; its error is the cause if no other transport can send the request. Safe
/// from any isolation.
public final class TransportRegistry: DuplexTransport {
  /// Creates a transport; it must not use the registry.
  public typealias Factory = @Sendable () throws -> any Transport

  private struct Entry: Sendable {
    let name: String
    let make: Factory
    var made: (any Transport)?
  }

  private struct State {
    var entries: [Entry] = []
    /// Transports whose place another one has taken; they may still have requests in flight.
    var replaced: [any Transport] = []
    var isShutDown = false
  }

  private let state = Guarded(State())

  /// Creates an empty registry.
  public init() {}

  /// Adds a transport behind the others, or in the place of the one with the same name.
  ///
  /// - Parameters:
  ///   - name: The name, for `transport(named:)` and for messages.
  ///   - make: Creates the transport, which the registry shuts down.
  public func add(_ name: String, _ make: @escaping Factory) {
    state.withLock { state in
      let entry = Entry(name: name, make: make)
      guard let place = state.entries.firstIndex(where: { $0.name == name }) else {
        state.entries.append(entry)
        return
      }
      if let made = state.entries[place].made { state.replaced.append(made) }
      state.entries[place] = entry
    }
  }

  /// Adds a transport as `add` does, and returns the registry.
  public func adding(_ name: String, _ make: @escaping Factory) -> TransportRegistry {
    add(name, make)
    return self
  }

  /// The names, in the order in which the transports are tried.
  public var names: [String] { state.withLock { $0.entries.map(\.name) } }

  /// The capabilities of all transports together.
  ///
  /// A single request gets those of the transport that sends it.
  public var capabilities: TransportCapabilities {
    state.withLock { $0.entries }.reduce(into: []) { capabilities, entry in
      if let transport = try? transport(of: entry) { capabilities.formUnion(transport.capabilities) }
    }
  }

  /// Returns the transport with a name, creating it if necessary.
  ///
  /// - Throws: `NetworkError` of kind `unsupported` if there is none; the error of its factory.
  public func transport(named name: String) throws -> any Transport {
    let entries = state.withLock { $0.entries }
    guard let entry = entries.first(where: { $0.name == name }) else {
      throw NetworkError(
        .unsupported, stage: .preparing,
        message: "No transport is registered as \(name). The names are \(entries.map(\.name).joined(separator: ", ")).")
    }
    return try transport(of: entry)
  }

  /// Returns the first transport that has the capabilities which a request needs.
  ///
  /// - Throws: `NetworkError` of kind `unsupported` if there is none, which says what each of them lacks (`details.missing` has what
  ///   none of them has).
  public func transport(for request: Request, in exchange: Exchange) throws -> any Transport {
    try candidates(for: request, in: exchange)[0]
  }

  /// Returns the transports that have the capabilities which a request needs; at least one.
  ///
  /// - Throws: `NetworkError` of kind `unsupported` if there is none; `transportShutDown`.
  private func candidates(for request: Request, in exchange: Exchange) throws -> [any Transport] {
    let needed = TransportCapabilities.required(by: request, in: exchange)
    var capable: [any Transport] = []
    var lacking: [(name: String, missing: TransportCapabilities)] = []
    var failures: [(name: String, error: any Error)] = []
    for entry in state.withLock({ $0.entries }) {
      let candidate: any Transport
      do {
        candidate = try transport(of: entry)
      } catch {
        if (error as? NetworkError)?.kind == .transportShutDown { throw error }
        failures.append((entry.name, error))
        continue
      }
      let missing = needed.subtracting(candidate.capabilities)
      if missing.isEmpty { capable.append(candidate) } else { lacking.append((entry.name, missing)) }
    }
    guard capable.isEmpty else { return capable }
    let common = lacking.isEmpty ? needed : lacking.reduce(needed) { $0.intersection($1.missing) }
    let reasons =
      lacking.map { "\($0.name) lacks \($0.missing.names.joined(separator: ", "))" }
      + failures.map { "\($0.name) cannot be created" }
    throw NetworkError(
      .unsupported, stage: .preparing,
      message: reasons.isEmpty
        ? "No transport is registered."
        : "No registered transport "
          + (common.isEmpty ? "has all that the request needs" : "has \(common.names.joined(separator: ", "))")
          + ": \(reasons.joined(separator: "; ")).",
      advice: reasons.isEmpty ? "Add one with TransportRegistry.add." : nil,
      underlying: failures.first?.error
    ).with { details in
      details.missing = common.isEmpty ? lacking.first?.missing ?? [] : common
      details.request = request
    }
  }

  /// Sends a request with the first transport that has the capabilities which it needs.
  ///
  /// A transport may have two capabilities and refuse them together, with `unsupported` before it sends anything. The next one is
  /// then tried.
  ///
  /// - Throws: The errors of `transport(for:in:)`, and those of the transport.
  public nonisolated(nonsending) func send(_ request: Request, in exchange: Exchange) async throws -> Response {
    try Task.checkCancellation()
    var refusal: NetworkError?
    for transport in try candidates(for: request, in: exchange) {
      do {
        return try await transport.send(request, in: exchange)
      } catch let error as NetworkError where error.kind == .unsupported && error.stage == .preparing {
        refusal = refusal ?? error
      }
    }
    throw refusal ?? .unsupported([], request: request)
  }

  /// Connects with the first transport that has the capabilities which the request needs, and `duplex`.
  ///
  /// - Throws: The errors of `transport(for:in:)`, and those of the transport.
  public nonisolated(nonsending) func connect(
    _ request: Request, in exchange: Exchange
  ) async throws -> DuplexConnection {
    try Task.checkCancellation()
    var request = request
    request.options.needs.insert(.duplex)
    for case let transport as any DuplexTransport in try candidates(for: request, in: exchange) {
      return try await transport.connect(request, in: exchange)
    }
    throw NetworkError.unsupported(.duplex, request: request)
  }

  /// Shuts down all transports that were created.
  public func shutdown() async {
    let made = state.withLock { state in
      state.isShutDown = true
      return state.entries.compactMap(\.made) + state.replaced
    }
    await withDiscardingTaskGroup { group in
      for transport in made { group.addTask { await transport.shutdown() } }
    }
  }

  /// Returns the transport of an entry, creating it if necessary.
  ///
  /// - Throws: `transportShutDown`; the error of the factory.
  private func transport(of entry: Entry) throws -> any Transport {
    if let made = entry.made { return made }
    guard !state.withLock({ $0.isShutDown }) else { throw Self.shutDown }
    let new = try entry.make()
    let (chosen, isSpare) = state.withLock { state -> ((any Transport)?, Bool) in
      guard !state.isShutDown else { return (nil, true) }
      guard let place = state.entries.firstIndex(where: { $0.name == entry.name }) else { return (nil, true) }
      if let made = state.entries[place].made { return (made, true) }
      state.entries[place].made = new
      return (new, false)
    }
    // Two first requests arrived at once: keep one transport; the other has sent nothing.
    if isSpare { Task { await new.shutdown() } }
    guard let chosen else { throw Self.shutDown }
    return chosen
  }

  private static let shutDown = NetworkError(
    .transportShutDown, stage: .preparing, message: "The registry of transports was shut down.")
}
