public import CurlewCore

/// Waits for announced work at the end of the process, for a limited time.
///
/// ```swift
/// let grace = GracePeriod(.seconds(20))
/// // when SIGTERM arrives:
/// await grace.expire()
/// exit(0)
/// ```
public final class GracePeriod: ProcessLifecycle {
  private struct State: WaitableState {
    var works: [UInt64: @Sendable () -> Void] = [:]
    var last: UInt64 = 0
    var isOver = false
    var waiters = Waiters()
  }

  private let length: Duration
  private let clock: any NetworkClock
  private let state = Guarded(State())

  /// Creates a grace period.
  ///
  /// - Parameter length: How long work may continue after the process was asked to end, 0 or more.
  public init(_ length: Duration, clock: any NetworkClock = SystemClock()) {
    self.length = length
    self.clock = clock
  }

  /// The number of works in progress.
  public var workCount: Int { state.withLock { $0.works.count } }

  /// Announces work; after the grace period its expiration is called at once.
  public func begin(_ expiration: @escaping @Sendable () -> Void) -> any ProcessWork {
    let id = state.withLock { state -> UInt64? in
      guard !state.isOver else { return nil }
      state.last += 1
      state.works[state.last] = expiration
      return state.last
    }
    if id == nil { expiration() }
    return Work(self, id)
  }

  /// Waits until all work has ended, at most for the grace period.
  ///
  /// Call it when the process is asked to end. After the grace period, the remaining work is told to stop. Cancelling the task
  /// ends the period at once.
  public func expire() async {
    let end = clock.now.advanced(by: length.limited)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [clock] in try? await clock.sleep(until: end) }
      group.addTask { [self] in
        try? await state.wait { $0.works.isEmpty ? .success(()) : nil }
      }
      await group.next()
      group.cancelAll()
    }
    let rest = state.withLock { state in
      defer { state.works = [:] }
      state.isOver = true
      return state.works
    }
    for (_, expiration) in rest.sorted(by: { $0.key < $1.key }) { expiration() }
  }

  fileprivate func end(_ id: UInt64) {
    let (waiters, _) = state.withLock { state in
      let work = state.works.removeValue(forKey: id)
      return (state.works.isEmpty ? state.waiters.takeAll() : [], work)
    }
    for waiter in waiters { waiter.resume() }
  }

  private final class Work: ProcessWork {
    private let period: GracePeriod
    private let id: UInt64?

    init(_ period: GracePeriod, _ id: UInt64?) {
      self.period = period
      self.id = id
    }

    func end() { if let id { period.end(id) } }
  }
}

/// Lets work continue for a while when the process is asked to end.
///
/// An app implements it over its signals or its service framework, most simply with `GracePeriod`, and gives it to
/// `URLConnectionOperation.continueAtProcessEnd(under:expiration:)`.
public protocol ProcessLifecycle: Sendable {
  /// Announces work that should complete before the process ends.
  ///
  /// Safe from any isolation.
  ///
  /// - Parameter expiration: Called at most once, when the work must stop, and not after `ProcessWork.end`. If there is no
  ///   time left, it is called at once.
  /// - Returns: An object that ends the announcement.
  func begin(_ expiration: @escaping @Sendable () -> Void) -> any ProcessWork
}

/// Work that should complete before a process ends.
public protocol ProcessWork: Sendable {
  /// Declares that the work is done; later calls do nothing.
  func end()
}

extension URLConnectionOperation {
  /// Lets the operation continue while the process is asked to end.
  ///
  /// From this call until the operation has finished, it is announced to `lifecycle`. If the time ends first, the handler is
  /// called and the operation is cancelled. Only the first call before the end counts.
  ///
  /// - Parameter expiration: Called when there is no time left, before the operation is cancelled.
  /// - Returns: Whether this is the first call.
  @discardableResult
  public func continueAtProcessEnd(
    under lifecycle: any ProcessLifecycle, expiration: (@Sendable () -> Void)? = nil
  ) -> Bool {
    let isFirst = state.withLock { state in
      defer { state.isKnownToProcess = true }
      return !state.isKnownToProcess && !state.life.isOver
    }
    guard isFirst else { return false }
    let work = lifecycle.begin { [weak self] in
      expiration?()
      self?.cancel()
    }
    let isOver = state.withLock { state in
      if !state.isConcluded { state.processWork = work }
      return state.isConcluded
    }
    if isOver { work.end() }
    return true
  }
}
