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
