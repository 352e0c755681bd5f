import CurlewCore
public import FoundationEssentials

/// A path at an endpoint, with a script for its answers and a record of requests.
public final class ConformancePlace: Sendable {
  private struct State {
    var requests: [ConformanceRequest] = []
    /// The answers that were chosen, by the index of the request.
    var answers: [Int: ConformanceAnswer] = [:]
    var departures = 0
    var sentBytes: Int64 = 0
    var isClosed = false
  }

  private let address: String
  private let script: @Sendable (ConformanceRequest) -> ConformanceAnswer
  private let onClose: @Sendable () -> Void
  private let state = Watched(State())

  /// Creates a place.
  ///
  /// - Parameters:
  ///   - address: The scheme, authority and path.
  ///   - script: Returns the answer to each request.
  ///   - onClose: Called when the rule is over.
  package init(
    address: String, script: @escaping @Sendable (ConformanceRequest) -> ConformanceAnswer,
    onClose: @escaping @Sendable () -> Void
  ) {
    self.address = address
    self.script = script
    self.onClose = onClose
  }

  // MARK: What a rule uses

  /// Returns a URL of this place.
  ///
  /// - Parameters:
  ///   - suffix: The rest of the path, a query and a fragment; percent-encoded.
  ///   - host: Another name of the endpoint's host.
  public func url(_ suffix: String = "", host: String? = nil) -> URL {
    var text = address + suffix
    if let host, let start = text.firstRange(of: "://")?.upperBound {
      let end = text[start...].firstIndex { $0 == ":" || $0 == "/" } ?? text.endIndex
      text.replaceSubrange(start..<end, with: host)
    }
    return URL(string: text) ?? URL(filePath: "/")
  }

  /// Waits until there are at least this many requests, and returns them.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  public func requests(_ count: Int) async throws -> [ConformanceRequest] {
    try await wait(for: { "\(count) requests (so far: \($0.requests.count))" }) { $0.requests.count >= count }
    return state.current.requests
  }

  /// The requests so far.
  public var requests: [ConformanceRequest] { state.current.requests }

  /// Waits until this many clients have left during an answer.
  package func departures(_ count: Int = 1) async throws {
    try await wait(for: { "\(count) clients to leave during the answer (so far: \($0.departures))" }) {
      $0.departures >= count
    }
  }

  /// The number of content bytes that were sent so far.
  package var sentBytes: Int64 { state.current.sentBytes }

  /// Waits until this many bytes of content were sent.
  package func sentBytes(_ count: Int64) async throws {
    try await wait(for: { "\(count) bytes of content to be sent (so far: \($0.sentBytes))" }) { $0.sentBytes >= count }
  }

  private func wait(
    for what: @escaping @Sendable (State) -> String, until isMet: @escaping @Sendable (State) -> Bool
  ) async throws {
    try await ConformanceWaits.waiting(for: { [state, address] in "\(what(state.current)) at \(address)" }) {
      try await state.wait(until: isMet)
    }
  }

  /// The requests, each followed by its answer, as they crossed the wire.
  ///
  /// Without a wire, the request is shown as it was given, and the answer as it was chosen.
  var wire: [String] {
    let state = state.current
    return state.requests.indices.flatMap { index in
      let request = state.requests[index]
      return request.transcript
        ?? ["> \(request.summary)"] + (state.answers[index].map { ["< planned, without a wire: \($0.summary)"] } ?? [])
    }
  }

  // MARK: What an endpoint uses

  /// Records a request and returns its answer.
  package func answer(_ request: ConformanceRequest) -> ConformanceAnswer {
    let index = state.update { state in
      state.requests.append(request)
      return state.requests.count - 1
    }
    let answer = script(request)
    state.update { $0.answers[index] = answer }
    return answer
  }

  /// Records bytes of content that were sent.
  package func noteSent(_ count: Int64) { state.update { $0.sentBytes += count } }

  /// Records a client that has left.
  package func noteDeparture() { state.update { $0.departures += 1 } }

  /// Waits at a gate.
  ///
  /// A client that leaves during the wait, which cancels the task, is recorded.
  package func hold(at gate: OriginGate) async {
    await Awaiting.oneCall { gate.arrive($0) }
    if Task.isCancelled { noteDeparture() }
  }

  /// Closes the place; later requests to it are unknown.
  package func close() { onClose() }
}

/// The places of one endpoint.
package final class PlaceTable: Sendable {
  private struct State {
    var places: [String: ConformancePlace] = [:]
    var last = 0
  }

  /// The field with the place of a request whose path does not contain it.
  package static let field = "Conformance-Place"
  private let state = Guarded(State())

  package init() {}

  package func open(
    at address: String, _ script: @escaping @Sendable (ConformanceRequest) -> ConformanceAnswer
  ) -> ConformancePlace {
    state.withLock { state in
      state.last += 1
      let name = "place-\(state.last)"
      let place = ConformancePlace(address: "\(address)/\(name)", script: script) { [weak self] in
        self?.state.withLock { $0.places[name] = nil }
      }
      state.places[name] = place
      return place
    }
  }

  /// Returns the place of a request; nil if it is closed or never existed.
  package func place(target: String, fields: OriginFields) -> ConformancePlace? {
    let name = target.drop { $0 == "/" }.prefix { $0 != "/" && $0 != "?" }
    return state.withLock { $0.places[fields[Self.field] ?? String(name)] }
  }
}
