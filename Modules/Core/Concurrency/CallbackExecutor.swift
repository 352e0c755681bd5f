/// Where callbacks run.
///
/// Callbacks keep their order if the executor keeps the order of its work. Any serial queue can be used:
///
/// ```swift
/// let executor = CallbackExecutor { work in queue.async(execute: work) }
/// ```
public struct CallbackExecutor: Sendable {
  private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void

  /// Creates an executor from a function that runs work later, in order.
  ///
  /// The function should return before the work runs, because the caller may be a transport's own thread.
  public init(_ enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.enqueue = enqueue }

  /// Returns a new serial queue on Swift's thread pool.
  public static func serial() -> CallbackExecutor {
    let queue = SerialWork()
    return CallbackExecutor { queue.enqueue($0) { queue in Task.detached { queue.runAll() } } }
  }

  /// Returns an executor that runs work on the main actor, in order.
  public static func mainActor() -> CallbackExecutor {
    let queue = SerialWork()
    return CallbackExecutor { queue.enqueue($0) { queue in Task.detached { @MainActor in queue.runAll() } } }
  }

  /// Returns an executor that runs work on an actor, in order.
  ///
  /// Pass `#isolation` for the actor of the current code.
  public static func isolated(to actor: any Actor) -> CallbackExecutor {
    let queue = SerialWork()
    return CallbackExecutor { queue.enqueue($0) { queue in Task.detached { await queue.runAll(on: actor) } } }
  }

  /// Runs work later.
  public func run(_ work: @escaping @Sendable () -> Void) { enqueue(work) }
}

/// Runs work in order, one piece at a time.
///
/// It has a task only while there is work.
private final class SerialWork: Sendable {
  private struct State {
    var waiting: [@Sendable () -> Void] = []
    var isRunning = false
  }

  private let state = Guarded(State())

  func enqueue(_ work: @escaping @Sendable () -> Void, start: (SerialWork) -> Void) {
    let starts = state.withLock { state in
      state.waiting.append(work)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if starts { start(self) }
  }

  func runAll(on actor: isolated any Actor) { runAll() }

  func runAll() {
    while true {
      let batch = state.withLock { state in
        defer { state.waiting = [] }
        state.isRunning = !state.waiting.isEmpty
        return state.waiting
      }
      if batch.isEmpty { return }
      for work in batch { work() }
    }
  }
}
