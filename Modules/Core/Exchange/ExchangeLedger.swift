/// The state that all exchanges of a request share: metrics and event order.
final class ExchangeLedger: Sendable {
  private struct State {
    var records: [ExchangeMetrics] = []
    var isFinished = false
    var isTelling = false
    var waiting: [(ExchangeEvent, Exchange.SharedSettings)] = []
    /// The newest attempt that has a hop, and its highest hop.
    var attempt = 1
    var hop = 0

    mutating func note(hop newHop: Int, of newAttempt: Int) {
      guard newAttempt >= attempt else { return }
      hop = newAttempt > attempt ? newHop : max(hop, newHop)
      attempt = newAttempt
    }
  }

  private let state = Guarded(State())

  var metrics: [ExchangeMetrics] { state.withLock { $0.records } }

  /// Records a hop.
  func note(hop: Int, of attempt: Int) { state.withLock { $0.note(hop: hop, of: attempt) } }

  /// Returns the next hop of an attempt.
  func takeHop(after hop: Int, of attempt: Int) -> Int {
    state.withLock { state in
      let last = attempt == state.attempt ? max(hop, state.hop) : hop
      state.note(hop: last + 1, of: attempt)
      return last + 1
    }
  }

  /// The most metrics that are kept; beyond it, the oldest are dropped.
  static let limit = 1_000

  func record(_ metrics: ExchangeMetrics) {
    state.withLock { state in
      if state.records.count >= Self.limit { state.records.removeFirst() }
      state.records.append(metrics)
    }
  }

  /// Delivers events to the observers outside the lock, in order, up to `.finished`.
  func tell(_ event: ExchangeEvent, _ shared: Exchange.SharedSettings) {
    let isOurs = state.withLock { state in
      guard !state.isFinished else { return false }
      if case .finished = event.kind { state.isFinished = true }
      guard !state.isTelling else {
        state.waiting.append((event, shared))
        return false
      }
      state.isTelling = true
      return true
    }
    guard isOurs else { return }
    deliver(event, shared.settings)
    while let (event, shared) = next() { deliver(event, shared.settings) }
  }

  private func next() -> (ExchangeEvent, Exchange.SharedSettings)? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.isTelling = false
        return nil
      }
      return state.waiting.removeFirst()
    }
  }

  private func deliver(_ event: ExchangeEvent, _ settings: ExchangeSettings) {
    var redacted: ExchangeEvent?
    for observer in settings.observers {
      if observer.wantsSecrets {
        observer.observe(event)
      } else {
        let safe = redacted ?? event.redacted(by: settings.redaction)
        redacted = safe
        observer.observe(safe)
      }
    }
  }
}
