/// The state machine of a session task, without threads, requests and bytes.
///
/// Every event has a result in every state: the effects to carry out, in order, or nil if it is not allowed and changes
/// nothing. Four rules shape it:
///
/// * The transfer is launched by the first `resume` or reader, so an unused task costs neither a thread nor a connection.
/// * A task that was resumed belongs to itself. One that only readers of its value or its progress have started belongs to them: it
///   ends when a reader is cancelled (`leave`) or when nobody holds it.
/// * `suspend` does not nest: one `resume` ends any number of suspensions.
/// * Cancelling a task completes it at once. A download that has begun completes when its bytes are stored and its file is
///   released, so that whoever learns of the end can resume it.
struct TaskLife: Hashable, Sendable {
  /// The events of a task.
  enum Event: Hashable, Sendable, CaseIterable {
    case resume, suspend, cancel
    /// A reader starts a task that was never resumed.
    case read
    /// A reader was cancelled.
    case leave
    /// The transfer has its outcome, or could not be created.
    case ended
    /// The response of a data task becomes a download, which another task continues.
    case converted
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
    /// Report a new state.
    case announce(SessionTaskState)
    /// Deliver the outcome.
    case conclude
  }

  private enum Phase: Hashable {
    /// Suspended, without a transfer.
    case fresh
    case running
    /// Suspended, with a paused transfer.
    case suspended
    case canceling
    case completed
  }

  private var phase = Phase.fresh
  /// Whether only readers have started the task.
  private(set) var belongsToReaders = true
  /// Whether cancelling waits for the end of the transfer.
  let isDownload: Bool

  /// Creates the life of a new task.
  init(isDownload: Bool) { self.isDownload = isDownload }

  /// Creates the life of a download that continues the transfer of another task.
  init(continuing state: SessionTaskState) {
    isDownload = true
    belongsToReaders = false
    phase = state == .running ? .running : .suspended
  }

  /// The state for the app.
  var state: SessionTaskState {
    switch phase {
    case .fresh, .suspended: .suspended
    case .running: .running
    case .canceling: .canceling
    case .completed: .completed
    }
  }

  /// Whether the task lives even if the app releases it.
  var mustLive: Bool { phase == .running && !belongsToReaders || phase == .canceling }

  /// Handles an event; this is the one table of transitions.
  mutating func handle(_ event: Event) -> [Effect]? {
    switch (phase, event) {
    case (.completed, _): return nil

    case (_, .leave): return belongsToReaders ? handle(.cancel) : nil

    case (.fresh, .resume):
      belongsToReaders = false
      return enter(.running, .launch)
    case (.fresh, .read): return enter(.running, .launch)
    case (_, .read): return nil
    case (.fresh, .cancel): return end()
    case (.fresh, _): return nil

    case (.running, .suspend): return enter(.suspended, .pause)
    case (.suspended, .resume):
      belongsToReaders = false
      return enter(.running, .resume)
    case (.running, .resume), (.suspended, .suspend): return nil

    case (.running, .cancel), (.suspended, .cancel):
      return isDownload ? enter(.canceling, .stop) : end(after: .stop)

    case (.running, .converted), (.suspended, .converted): return isDownload ? nil : end()
    case (_, .ended): return end()
    case (.canceling, _): return nil
    }
  }

  private mutating func enter(_ phase: Phase, _ effect: Effect) -> [Effect] {
    self.phase = phase
    return [effect, .announce(state)]
  }

  private mutating func end(after effect: Effect? = nil) -> [Effect] {
    phase = .completed
    guard let effect else { return [.announce(.completed), .conclude] }
    return [effect, .announce(.completed), .conclude]
  }
}
