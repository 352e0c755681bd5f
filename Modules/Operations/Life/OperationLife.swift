/// The state machine of an operation, without Foundation, threads and bytes.
///
/// Every event has a result in every state: the effects to carry out, in order, or nil if it is not allowed and changes
/// nothing. Foundation's `Operation` requires that three things are kept separate:
///
/// * The operation is *over* as soon as it has its outcome. Cancelling achieves that in every state.
/// * The end is *announced* to Foundation only after `start` was called. If it is announced earlier, a queue removes the
///   operation from one of its lists but not from the other, and later follows a pointer to freed memory
///   (swift-corelibs-foundation 6.3).
/// * Cancelling has two halves. Between them the operation is cancelled but not over, because Foundation's own `cancel`, which
///   makes the queue call `start` regardless of dependencies, does nothing for a finished operation.
struct OperationLife: Hashable, Sendable {
  /// The events of an operation.
  enum Event: Hashable, Sendable, CaseIterable {
    case start, pause, resume
    /// The first half of cancelling.
    ///
    /// Foundation's `cancel` and then `cancelled` must follow.
    case cancel
    /// The second half of cancelling.
    case cancelled
    /// The transfer has its outcome, or could not be created.
    case ended
  }

  /// The effects to carry out.
  enum Effect: Hashable, Sendable {
    /// Create the transfer and start it.
    case launch
    /// Pause the transfer.
    case pause
    /// Resume the transfer.
    case resume
    /// Cancel the transfer.
    case stop
    /// Notify Foundation of a change of `isReady`.
    case announceReadiness
    /// Notify Foundation of the end.
    case announceEnd
    /// Deliver the outcome to the app.
    case conclude
    /// Report an event.
    case report(OperationEvent)
  }

  private enum Phase: Hashable {
    case ready
    /// Paused before the start.
    ///
    /// A queue calls `start` only once, and may do so just after the operation was paused. `isDue` records such a call, and
    /// `resume` then starts the operation.
    case held(isDue: Bool)
    case executing
    case paused
    case over
  }

  private var phase = Phase.ready
  /// Whether `start` was called, after which the end may be announced.
  private(set) var wasStarted = false
  private(set) var isCancelled = false

  /// Creates the life of a ready operation.
  init() {}

  /// Creates the life of a finished operation that no queue knows of yet.
  init(over isCancelled: Bool) {
    phase = .over
    self.isCancelled = isCancelled
  }

  /// The state for the app.
  var state: OperationState {
    switch phase {
    case .ready: .ready
    case .held, .paused: .paused
    case .executing: .executing
    case .over: .finished
    }
  }

  /// Whether the operation has its outcome.
  var isOver: Bool { phase == .over }

  /// Whether a queue may call `start`, apart from dependencies.
  ///
  /// That includes a cancelled operation: the queue calls `start` to notice its end.
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
    // Report the last event before the blocks are released.
    return (wasStarted ? [.announceEnd] : []) + effects + [.report(.finished), .conclude]
  }
}

/// The states of an operation.
public enum OperationState: String, Sendable, Hashable, CaseIterable {
  /// Not started: waiting for its queue, or for `start`.
  case ready
  /// Started and not finished.
  ///
  /// Its request may be waiting for a connection, a retry or an answer.
  case executing
  /// Paused before or after its start, until it is resumed or cancelled.
  case paused
  /// Finished: it has its outcome and does not change any more.
  case finished
}

/// The calls that an operation accepts.
public enum OperationCall: String, Sendable, Hashable, CaseIterable {
  /// `Operation.start()`, by a queue or by the app.
  case start
  /// `pause()`.
  case pause
  /// `resume()`.
  case resume
  /// `Operation.cancel()`.
  case cancel
  /// `Operation.waitUntilFinished()`, which is refused in tasks.
  case wait
}

/// The events of an operation, in order.
public enum OperationEvent: Sendable, Hashable {
  /// The request begins.
  case started
  /// The operation was paused, before or after its start.
  case paused
  /// The operation continues, or is ready again if it was not started.
  case resumed
  /// The operation has finished; sent once, and only `refused` may follow.
  case finished
  /// A call was not allowed in this state, and changed nothing.
  case refused(OperationCall, in: OperationState)
}
