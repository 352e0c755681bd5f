public import CurlewCore

/// Tells when to show a network activity indicator.
///
/// It works like AFNetworkActivityIndicatorManager, as an observer of exchanges. The indicator is shown once requests
/// have been running for `startDelay`, so that short ones do not show it, and hidden `endDelay` after the last one
/// ends, so that it does not flicker between requests. Requests are tracked by identity, so one that never began or
/// ends twice is counted correctly. A request runs until its body has ended, failed or was released. Safe from any
/// isolation.
///
/// ```swift
/// let activity = ActivityCounter { isActive in showSpinner(isActive) }
/// settings.observers.append(activity)
/// ```
public final class ActivityCounter: EventObserver {
  private struct State {
    var activity: ActivityState<Exchange.ID>
    /// The changes to report, in order; one caller at a time reports them.
    var outbox: [Bool] = []
  }

  private let state: Guarded<State>
  private let clock: any NetworkClock
  private let executor: CallbackExecutor
  private let changed: @Sendable (Bool) -> Void

  /// Creates a counter without activity.
  ///
  /// - Parameters:
  ///   - startDelay: How long requests must run before the indicator is shown; by default AFNetworking's second.
  ///   - endDelay: How long it stays visible after the last request; by default AFNetworking's 0.17 s.
  ///   - clock: The clock that measures the delays.
  ///   - executor: Where `changed` is called.
  ///   - changed: Called with the new state whenever the indicator is to be shown or hidden.
  public init(
    startDelay: Duration = .seconds(1), endDelay: Duration = .milliseconds(170), clock: any NetworkClock = .system,
    on executor: CallbackExecutor = .mainActor(), _ changed: @escaping @Sendable (Bool) -> Void
  ) {
    state = Guarded(State(activity: ActivityState(startDelay: startDelay, endDelay: endDelay)))
    self.clock = clock
    self.executor = executor
    self.changed = changed
  }

  /// Whether the indicator is to be shown.
  public var isActive: Bool {
    state.withLock { $0.activity.phase == .shown || $0.activity.phase == .ending }
  }

  /// The number of running requests.
  public var count: Int { state.withLock { $0.activity.active.count } }

  /// Whether the indicator may be shown at all.
  ///
  /// While it is false, requests are still counted, so that after it becomes true, activity that continues is shown
  /// after `startDelay`.
  public var isEnabled: Bool {
    get { state.withLock { $0.activity.isEnabled } }
    set { apply { $0.enable(newValue) } }
  }

  /// Processes one event.
  public func observe(_ event: ExchangeEvent) {
    switch event.kind {
    case .started: apply { $0.began(event.exchange) }
    case .finished: apply { $0.ended(event.exchange) }
    default: break
    }
  }

  private func apply(_ change: (inout ActivityState<Exchange.ID>) -> ActivityState<Exchange.ID>.Effect) {
    let effect = state.withLock { state in
      let effect = change(&state.activity)
      if case .tell(let isShown) = effect { state.outbox.append(isShown) }
      return effect
    }
    switch effect {
    case .nothing: break
    case .tell:
      // Each call reports the oldest change, so that concurrent changes are reported in order.
      executor.run { [self] in
        if let isShown = state.withLock({ $0.outbox.isEmpty ? nil : $0.outbox.removeFirst() }) { changed(isShown) }
      }
    case .wait(let delay, let turn):
      let end = clock.now.advanced(by: delay.limited)
      Task { [weak self, clock] in
        try? await clock.sleep(until: end)
        self?.apply { $0.due(turn) }
      }
    }
  }
}
