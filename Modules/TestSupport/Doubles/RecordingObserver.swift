public import CurlewCore

/// Records every event in order.
///
/// Safe from any isolation.
public final class RecordingObserver: EventObserver {
  /// Whether it receives credentials, cookies and custom authorization.
  public let wantsSecrets: Bool
  private let state = Watched<[ExchangeEvent]>([])

  /// Creates an observer without events.
  public init(wantsSecrets: Bool = false) { self.wantsSecrets = wantsSecrets }

  /// The recorded events.
  public var events: [ExchangeEvent] { state.current }

  /// The kinds of the recorded events.
  public var kinds: [ExchangeEvent.Kind] { state.current.map(\.kind) }

  /// The names of the recorded events, such as `started`, `sending`, `responded`.
  public var names: [String] { kinds.map(\.name) }

  /// The outcomes, one for each logical request.
  public var outcomes: [ExchangeEvent.Outcome] {
    kinds.compactMap { kind in
      guard case .finished(let outcome, _) = kind else { return nil }
      return outcome
    }
  }

  /// Records one event.
  public func observe(_ event: ExchangeEvent) { state.update { $0.append(event) } }

  /// Removes all recorded events.
  public func removeAll() { state.update { $0.removeAll() } }

  /// Returns the first event that a condition selects; waits for it.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  public func first(where accepts: (ExchangeEvent) -> Bool) async throws -> ExchangeEvent {
    try await first("an event", where: accepts)
  }

  /// Returns the first event of a name, such as `measured`; waits for it.
  package func first(named name: String) async throws -> ExchangeEvent {
    try await first("the event \(name)") { $0.kind.name == name }
  }

  /// Returns the first event that a condition selects; a rule that waits in vain says what it waited for.
  func first(_ what: String, where accepts: (ExchangeEvent) -> Bool) async throws -> ExchangeEvent {
    let what: @Sendable () -> String = { [state] in
      let names = state.current.map(\.kind.name)
      let shown = (names.count > 12 ? ["…"] : []) + names.suffix(12)
      return "\(what) (so far: \(names.isEmpty ? "none" : shown.joined(separator: ", ")))"
    }
    return try await ConformanceWaits.waiting(for: what) {
      var seen = 0
      while true {
        let events = state.current
        for event in events.dropFirst(seen) where accepts(event) { return event }
        seen = events.count
        try await state.wait { [seen] in $0.count != seen }
      }
    }
  }

  /// Waits until `count` logical requests have finished.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  public func waitForFinished(_ count: Int = 1) async throws {
    try await state.wait { events in events.count { $0.kind.name == "finished" } >= count }
  }
}

extension ExchangeEvent.Kind {
  /// The name of the case, for comparisons in tests.
  package var name: String {
    switch self {
    case .started: "started"
    case .sending: "sending"
    case .secured: "secured"
    case .connected: "connected"
    case .informational: "informational"
    case .sent: "sent"
    case .responded: "responded"
    case .received: "received"
    case .redirecting: "redirecting"
    case .challenged: "challenged"
    case .resending: "resending"
    case .retrying: "retrying"
    case .paused: "paused"
    case .resumed: "resumed"
    case .measured: "measured"
    case .finished: "finished"
    }
  }
}
