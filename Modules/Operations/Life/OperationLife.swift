/// The state machine of an operation, independent of Foundation, of threads and of bytes.
///
/// Every event has an answer in every state: the effects to carry out, in order, or nil where it is not allowed and changes
/// nothing. Three things are kept apart that Foundation's `Operation` needs apart:
///
/// * The operation is *over* when its outcome is there. Cancelling makes it so from every state.
/// * The end is *announced* to Foundation only after `start` was called. A queue forgets an operation whose end is announced
///   earlier in one of its lists and not in the other, and follows a pointer to freed memory (swift-corelibs-foundation 6.3).
/// * Cancelling has two halves. Between them the operation is cancelled and not over, because Foundation's own `cancel`,
///   which makes the queue call `start` in spite of dependencies, does nothing for an operation that is finished.
struct OperationLife: Hashable, Sendable {
  /// The events of an operation.
  enum Event: Hashable, Sendable, CaseIterable {
    case start, pause, resume
    /// The first half of cancelling; Foundation's `cancel` and then `cancelled` must follow.
    case cancel
    /// The second half of cancelling.
    case cancelled
    /// The transfer has its outcome, or there could be no transfer.
    case ended
  }

  /// The effects to carry out.
  enum Effect: Hashable, Sendable {
    /// Make the transfer and start it.
    case launch
    /// Pause the transfer.
    case pause
    /// Resume the transfer.
    case resume
    /// Cancel the transfer.
    case stop
    /// Tell Foundation to look at `isReady` again.
    case announceReadiness
    /// Tell Foundation of the end.
    case announceEnd
    /// Tell the app of the outcome.
    case conclude
    /// Report an event.
    case report(OperationEvent)
  }

  private enum Phase: Hashable {
    case ready
    /// Paused before the start. A start that comes now is made good by `resume`.
    ///
    /// A queue calls `start` once; it may do so just after the operation was paused.
    case held(isDue: Bool)
    case executing
    case paused
    case over
  }

  private var phase = Phase.ready
  /// Whether `start` was called, so that the end may be announced.
  private(set) var wasStarted = false
  private(set) var isCancelled = false

  /// Creates the life of an operation that waits for its start.
  init() {}

  /// Creates the life of an operation that is over, and whose end no queue knows of yet.
  init(over isCancelled: Bool) {
    phase = .over
    self.isCancelled = isCancelled
  }

  /// The state as the app sees it.
  var state: OperationState {
    switch phase {
    case .ready: .ready
    case .held, .paused: .paused
    case .executing: .executing
    case .over: .finished
    }
  }

  /// Whether it has its outcome.
  var isOver: Bool { phase == .over }

  /// Whether a queue may call `start`, its dependencies aside.
  ///
  /// Also when it was cancelled: the queue calls `start` to learn of the end.
  var isReady: Bool { isCancelled || phase == .ready || phase == .over }

  /// Handles an event; this is the one table of transitions.
  mutating func handle(_ event: Event) -> [Effect]? {
    switch (phase, event) {
    case (.over, .start) where !wasStarted:
      wasStarted = true
      return [.announceEnd]
    case (.over, _): return nil

    case (_, .cancel):
      isCancelled = true
      return []
    case (.ready, .cancelled) where isCancelled, (.held, .cancelled) where isCancelled: return end()
    case (.executing, .cancelled) where isCancelled, (.paused, .cancelled) where isCancelled: return end(.stop)
    // A queue may call `start` between the two halves of cancelling; the second half announces the end.
    case (.ready, .start) where isCancelled && !wasStarted,
      (.held(isDue: false), .start) where isCancelled && !wasStarted:
      wasStarted = true
      return []
    case _ where isCancelled: return nil

    case (.ready, .start):
      wasStarted = true
      phase = .executing
      return [.launch, .report(.started)]
    case (.ready, .pause):
      phase = .held(isDue: false)
      return [.announceReadiness, .report(.paused)]

    case (.held(isDue: false), .start):
      wasStarted = true
      phase = .held(isDue: true)
      return []
    case (.held(isDue: false), .resume):
      phase = .ready
      return [.report(.resumed), .announceReadiness]
    case (.held(isDue: true), .resume):
      phase = .executing
      return [.report(.resumed), .launch, .report(.started)]

    case (.executing, .pause):
      phase = .paused
      return [.pause, .report(.paused)]
    case (.executing, .ended), (.paused, .ended): return end()
    case (.paused, .resume):
      phase = .executing
      return [.report(.resumed), .resume]

    default: return nil
    }
  }

  /// Enters the last phase.
  private mutating func end(_ effects: Effect...) -> [Effect] {
    phase = .over
    // The last event comes before the blocks are let go.
    return (wasStarted ? [.announceEnd] : []) + effects + [.report(.finished), .conclude]
  }
}
