import CurlewCore

/// Tells observers what happens to one sending: in order, one at a time, on whichever thread it happens.
///
/// Foundation's queue, the clock and the app each end a request; what one of them tells must not pass another's.
final class EventOutbox: Sendable {
  private struct State {
    var waiting: [ExchangeEvent.Kind] = []
    var isTelling = false
    var isClosed = false

    /// Takes the next event; nil hands the telling back.
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

  /// Tells an event, behind those that are being told.
  ///
  /// - Parameter isLast: Whether nothing may follow.
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
