/// The circuit breaker's state for one origin, without I/O.
///
/// While closed, it lets everything pass and counts consecutive failures. At the limit it opens, and nothing passes for
/// a while. Then it is half open: some probes pass; their success closes it, and a failure opens it again. Probes without an
/// outcome after as long as it was open count no longer, and others may pass.
struct Circuit: Sendable, Hashable {
  /// When it opens and for how long.
  struct Rule: Sendable, Hashable {
    var failureLimit: Int
    var openFor: Duration
    var probes: Int
  }

  /// Whether a request may pass.
  enum Admission: Sendable, Hashable {
    /// It may pass; its outcome belongs to this period.
    case pass(Period)
    /// It may not pass before this moment.
    case refuse(until: ContinuousClock.Instant)
  }

  /// The time between two changes of state.
  ///
  /// Outcomes from an earlier period are ignored.
  struct Period: Sendable, Hashable {
    fileprivate var number: UInt64 = 0
  }

  /// The outcome of a request, as far as the server is concerned.
  enum Outcome: Sendable, Hashable {
    case success
    case failure
    /// The outcome is unknown, for example after a cancellation.
    case unknown
  }

  private enum Mode: Hashable {
    case closed(failures: Int)
    case open(until: ContinuousClock.Instant)
    /// The probes have until the instant to bring an outcome.
    case halfOpen(probing: Int, succeeded: Int, until: ContinuousClock.Instant)
  }

  private var mode = Mode.closed(failures: 0)
  private var period = Period()

  /// Whether there is nothing to remember.
  var isPristine: Bool { mode == .closed(failures: 0) }

  /// Returns the state at a moment.
  func state(at now: ContinuousClock.Instant) -> CircuitState {
    switch mode {
    case .closed: .closed
    case .open(let until): now < until ? .open : .halfOpen
    case .halfOpen: .halfOpen
    }
  }

  /// Decides whether a request may pass.
  mutating func admit(at now: ContinuousClock.Instant, _ rule: Rule) -> Admission {
    switch mode {
    case .closed: return .pass(period)
    case .open(let until):
      guard now >= until else { return .refuse(until: until) }
      return probe(at: now, rule)
    case .halfOpen(let probing, let succeeded, let until):
      // A probe that hangs must not keep all others from passing.
      guard now < until else { return probe(at: now, rule) }
      guard probing + succeeded < rule.probes else { return .refuse(until: until) }
      mode = .halfOpen(probing: probing + 1, succeeded: succeeded, until: until)
      return .pass(period)
    }
  }

  /// Records the outcome of a request that passed.
  mutating func report(_ outcome: Outcome, of period: Period, at now: ContinuousClock.Instant, _ rule: Rule) {
    guard period == self.period else { return }
    switch (mode, outcome) {
    case (.closed, .success): mode = .closed(failures: 0)
    case (.closed(let failures), .failure):
      guard failures + 1 >= rule.failureLimit else {
        mode = .closed(failures: failures + 1)
        return
      }
      enter(.open(until: now.advanced(by: rule.openFor)))
    case (.halfOpen, .failure): enter(.open(until: now.advanced(by: rule.openFor)))
    case (.halfOpen(let probing, let succeeded, let until), .success):
      guard succeeded + 1 >= rule.probes else {
        mode = .halfOpen(probing: probing - 1, succeeded: succeeded + 1, until: until)
        return
      }
      enter(.closed(failures: 0))
    case (.halfOpen(let probing, let succeeded, let until), .unknown):
      mode = .halfOpen(probing: probing - 1, succeeded: succeeded, until: until)
    case (.closed, .unknown), (.open, _): break
    }
  }

  /// Begins a half-open period with its first probe.
  private mutating func probe(at now: ContinuousClock.Instant, _ rule: Rule) -> Admission {
    enter(.halfOpen(probing: 1, succeeded: 0, until: now.advanced(by: rule.openFor)))
    return .pass(period)
  }

  private mutating func enter(_ mode: Mode) {
    self.mode = mode
    period.number &+= 1
  }
}

/// The state of a circuit.
public enum CircuitState: String, Sendable, Hashable, CaseIterable {
  /// Requests pass.
  case closed
  /// Requests are refused.
  case open
  /// A few requests pass, to find out whether the server has recovered.
  case halfOpen = "half-open"
}
