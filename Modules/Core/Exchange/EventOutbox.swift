/// Delivers the events of one sending to its observers, in order, one at a time.
///
/// A transport's thread, a timer and the app can each end a request at the same moment. Their events must not overtake each
/// other, and none may follow the metrics.
///
/// ```swift
/// func report(_ head: ResponseHead, _ metrics: ExchangeMetrics, to exchange: Exchange) {
///   let outbox = EventOutbox(exchange)
///   outbox.tell(.responded(head))
///   exchange.record(metrics)
///   outbox.tell(.measured(metrics), isLast: true)
/// }
/// ```
/// A transport creates one for each sending. It may be called from any thread, and calls observers without holding a lock.
public final class EventOutbox: Sendable {
  private struct State {
    var events = WorkQueue<ExchangeEvent.Kind>()
    var isClosed = false
  }

  private let exchange: Exchange
  private let state = Guarded(State())

  /// Creates an outbox for the observers of an exchange.
  public init(_ exchange: Exchange) { self.exchange = exchange }

  /// Delivers an event, after those that are being delivered; costs nothing without observers.
  ///
  /// - Parameters:
  ///   - kind: What happened.
  ///   - isLast: Whether no event may follow; later ones are dropped.
  public func tell(_ kind: @autoclosure () -> ExchangeEvent.Kind, isLast: Bool = false) {
    guard exchange.isObserved else { return }
    let kind = kind()
    let isMine = state.withLock { state in
      guard !state.isClosed else { return false }
      state.events.add(kind)
      state.isClosed = isLast
      return state.events.begin()
    }
    guard isMine else { return }
    while let kind = state.withLock({ $0.events.next() }) { exchange.emit(kind) }
  }
}
