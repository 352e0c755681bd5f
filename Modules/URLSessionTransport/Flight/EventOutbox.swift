import CurlewCore

/// Delivers the events of one attempt to its observers, in order, one at a time.
///
/// Foundation's queue, the timeout monitor and the app can each end a request. Their events must not overtake each other.
final class EventOutbox: Sendable {
  private struct State {
    var waiting: [ExchangeEvent.Kind] = []
    var isTelling = false
    var isClosed = false

    /// Returns the next event; nil ends the delivery, because none is waiting.
    mutating func next() -> ExchangeEvent.Kind? {
      guard !waiting.isEmpty else {
        isTelling = false
        return nil
      }
      return waiting.removeFirst()
    }
  }

  private let exchange: Exchange
  private let state = Guarded(State())

  init(_ exchange: Exchange) { self.exchange = exchange }

  /// Delivers an event, after those that are being delivered.
  ///
  /// - Parameter isLast: Whether no event may follow.
  func tell(_ kind: @autoclosure () -> ExchangeEvent.Kind, isLast: Bool = false) {
    guard exchange.isObserved else { return }
    let kind = kind()
    let isMine = state.withLock { state in
      guard !state.isClosed else { return false }
      state.waiting.append(kind)
      state.isClosed = isLast
      defer { state.isTelling = true }
      return !state.isTelling
    }
    guard isMine else { return }
    while let kind = state.withLock({ $0.next() }) { exchange.emit(kind) }
  }
}
