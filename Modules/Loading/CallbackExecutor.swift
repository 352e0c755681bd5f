import CurlewCore

/// Where callbacks run.
///
/// Callbacks keep their order where the executor keeps the order of its work. Any serial queue can be one:
///
/// ```swift
/// let executor = CallbackExecutor { work in queue.async(execute: work) }
/// ```
public struct CallbackExecutor: Sendable {
  private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void

  /// Makes an executor of a function that runs work later, in order; it should not run it before it returns,
  /// since who calls may be a transport's own thread.
  public init(_ enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.enqueue = enqueue }

  /// A serial queue of its own, on Swift's pool of threads.
  public static func serial() -> CallbackExecutor {
    let queue = SerialWork()
    return CallbackExecutor { queue.enqueue($0) { queue in Task.detached { queue.runAll() } } }
  }

  /// The main actor, in order.
  public static func mainActor() -> CallbackExecutor {
    let queue = SerialWork()
    return CallbackExecutor { queue.enqueue($0) { queue in Task.detached { @MainActor in queue.runAll() } } }
  }

  /// An actor, in order; with `#isolation` the one whose code asks for it.
  public static func isolated(to actor: any Actor) -> CallbackExecutor {
    let queue = SerialWork()
    return CallbackExecutor { queue.enqueue($0) { queue in Task.detached { await queue.runAll(on: actor) } } }
  }

  /// Runs work later.
  public func run(_ work: @escaping @Sendable () -> Void) { enqueue(work) }
}

/// Work in order, one piece at a time, with a task only while there is some.
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
