/// The state of a network activity indicator, without I/O.
///
/// It follows AFNetworkActivityIndicatorManager's state machine: activity is shown only if it lasts, and stays visible
/// for a moment, so that the indicator does not flicker. Running requests are a set, so that none is counted twice or
/// forgotten.
struct ActivityState<ID: Hashable & Sendable>: Sendable {
  enum Phase: Sendable, Hashable {
    case idle
    /// There is activity that is not shown yet.
    case starting
    case shown
    /// There is no more activity, but it is still shown.
    case ending
  }

  /// What to do after an event.
  enum Effect: Sendable, Hashable {
    case nothing
    /// Call `due` with this turn after the delay.
    case wait(Duration, turn: UInt64)
    /// Report whether activity is shown.
    case tell(Bool)
  }

  let startDelay: Duration
  let endDelay: Duration
  private(set) var phase = Phase.idle
  private(set) var active: Set<ID> = []
  private(set) var isEnabled = true
  private var turn: UInt64 = 0

  init(startDelay: Duration, endDelay: Duration) {
    self.startDelay = startDelay
    self.endDelay = endDelay
  }

  mutating func began(_ id: ID) -> Effect {
    active.insert(id)
    return follow()
  }

  mutating func ended(_ id: ID) -> Effect {
    active.remove(id)
    return follow()
  }

  /// Enables or disables the indicator; running requests are tracked in either case.
  mutating func enable(_ isEnabled: Bool) -> Effect {
    guard isEnabled != self.isEnabled else { return .nothing }
    self.isEnabled = isEnabled
    if isEnabled { return follow() }
    turn += 1
    defer { phase = .idle }
    return phase == .shown || phase == .ending ? .tell(false) : .nothing
  }

  /// Handles the end of a delay; does nothing if a later event has replaced it.
  mutating func due(_ turn: UInt64) -> Effect {
    guard turn == self.turn else { return .nothing }
    switch phase {
    case .starting:
      phase = active.isEmpty ? .idle : .shown
      return phase == .shown ? .tell(true) : .nothing
    case .ending:
      phase = active.isEmpty ? .idle : .shown
      return phase == .idle ? .tell(false) : .nothing
    case .idle, .shown: return .nothing
    }
  }

  private mutating func follow() -> Effect {
    guard isEnabled else { return .nothing }
    switch (phase, active.isEmpty) {
    case (.idle, false): return begin(.starting, startDelay)
    case (.shown, true): return begin(.ending, endDelay)
    case (.ending, false):
      turn += 1
      phase = .shown
      return .nothing
    // During the start, nothing happens before the delay has passed.
    case (.idle, true), (.starting, _), (.shown, false), (.ending, true): return .nothing
    }
  }

  private mutating func begin(_ phase: Phase, _ delay: Duration) -> Effect {
    self.phase = phase
    turn += 1
    return .wait(delay, turn: turn)
  }
}
