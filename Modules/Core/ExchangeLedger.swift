/// What all exchanges of one logical request share: the record of metrics, and the order of events.
final class ExchangeLedger: Sendable {
  private struct State {
    var records: [ExchangeMetrics] = []
    var isFinished = false
    var isTelling = false
    var waiting: [(ExchangeEvent, ExchangeSettings)] = []
  }

  private let state = Guarded(State())

  var metrics: [ExchangeMetrics] { state.withLock { $0.records } }

  /// How many records are kept; of a request that is tried for ever, the newest.
  static let limit = 1_000

  func record(_ metrics: ExchangeMetrics) {
    state.withLock { state in
      if state.records.count >= Self.limit { state.records.removeFirst() }
      state.records.append(metrics)
    }
  }

  /// Tells the observers outside the lock, in order; nothing behind `.finished`.
  func tell(_ event: ExchangeEvent, _ settings: ExchangeSettings) {
    let isOurs = state.withLock { state in
      guard !state.isFinished else { return false }
      if case .finished = event.kind { state.isFinished = true }
      guard !state.isTelling else {
        state.waiting.append((event, settings))
        return false
      }
      state.isTelling = true
      return true
    }
    guard isOurs else { return }
    deliver(event, settings)
    while let (event, settings) = next() { deliver(event, settings) }
  }

  private func next() -> (ExchangeEvent, ExchangeSettings)? {
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
