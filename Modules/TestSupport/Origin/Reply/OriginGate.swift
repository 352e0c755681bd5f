import CurlewCore

/// A point in a reply at which a test stops the origin.
///
/// ```swift
/// let gate = OriginGate()
/// let origin = try await ScriptedOrigin.start { _ in .ok("hello").pausing(at: gate) }
/// await gate.reached()   // the origin stands at the gate
/// gate.open()
/// ```
/// An open gate stays open for all replies.
public final class OriginGate: Sendable {
  private struct State {
    var isOpen = false
    var arrivals = 0
    var next = 0
    var passers: [Int: @Sendable () -> Void] = [:]
    var watchers: [Int: (arrivals: Int, wake: @Sendable () -> Void)] = [:]

    mutating func arrive() -> [@Sendable () -> Void] {
      arrivals += 1
      let (satisfied, left) = (
        watchers.filter { $0.value.arrivals <= arrivals }, watchers.filter { $0.value.arrivals > arrivals }
      )
      watchers = left
      return satisfied.values.map(\.wake)
    }
  }
  private let state = Guarded(State())

  /// Creates a closed gate.
  public init() {}

  /// Opens the gate for all replies, now and later.
  public func open() {
    let passers = state.withLock { state in
      state.isOpen = true
      defer { state.passers.removeAll() }
      return Array(state.passers.values)
    }
    for pass in passers { pass() }
  }

  /// The number of replies that have reached the gate.
  public var arrivals: Int { state.withLock { $0.arrivals } }

  /// Waits until this many replies have reached the gate.
  ///
  /// Returns at once when the task is cancelled.
  public func reached(by count: Int = 1) async {
    let what: @Sendable () -> String = { [self] in
      "\(count) arrivals at a gate that holds an answer or an upload (so far: \(arrivals))"
    }
    await ConformanceWaits.waiting(for: what) {
      await Awaiting.oneCall { wake in
        let isThere = state.withLock { state in
          state.next += 1
          if state.arrivals < count { state.watchers[state.next] = (count, wake) }
          return state.arrivals >= count
        }
        if isThere { wake() }
      }
    }
  }

  /// Reaches the gate: `pass` is called once it is open, possibly at once.
  package func arrive(_ pass: @escaping @Sendable () -> Void) {
    let (isOpen, watchers) = state.withLock { state in
      state.next += 1
      if !state.isOpen { state.passers[state.next] = pass }
      return (state.isOpen, state.arrive())
    }
    for wake in watchers { wake() }
    if isOpen { pass() }
  }
}

/// Waits in a task for one of several callbacks, or for cancellation.
package enum Awaiting {
  private struct Once {
    var continuation: CheckedContinuation<Void, Never>?
    var isDone = false
  }

  /// Waits until the closure given to `register` is called, or the task is cancelled.
  package static func oneCall(_ register: (@escaping @Sendable () -> Void) -> Void) async {
    let once = Signal()
    register { once.fire() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { once.attach($0) }
    } onCancel: {
      once.fire()
    }
  }

  private final class Signal: Sendable {
    private let once = Guarded(Once())

    func fire() {
      let waiting = once.withLock { once in
        once.isDone = true
        defer { once.continuation = nil }
        return once.continuation
      }
      waiting?.resume()
    }

    func attach(_ continuation: CheckedContinuation<Void, Never>) {
      let isDone = once.withLock { once in
        if !once.isDone { once.continuation = continuation }
        return once.isDone
      }
      if isDone { continuation.resume() }
    }
  }
}
