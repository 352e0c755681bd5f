/// Tells everything that moves a request's bytes whether it is paused.
///
/// Code that may pause a request, such as `Transfer`, creates a signal and sets it as `ExchangeSettings.pause`. Interceptors
/// and transports read it as `Exchange.pause`. During a pause, a transport with `TransportCapabilities.backpressure` sends no
/// more of the request's body, and an interceptor does not keep other requests waiting for this one. The response's body needs
/// no signal: its reader stops reading, or its sink returns `SinkDemand.pause`.
///
/// ```swift
/// let pause = PauseSignal()
/// var settings = ExchangeSettings()
/// settings.pause = pause
/// let sending = Task { try await transport.send(upload, in: Exchange(settings)) }
/// pause.pause()   // the server gets nothing more …
/// pause.resume()  // … and now the rest
/// ```
/// Safe from any isolation.
public final class PauseSignal: Sendable {
  private struct State: WaitableState {
    var isPaused = false
    var last: UInt64 = 0
    var observers: [UInt64: @Sendable () -> Void] = [:]
    var waiters = Waiters()

    mutating func nextID() -> UInt64 {
      last += 1
      return last
    }
  }

  /// Receives changes until the last reference to it is released.
  public final class Observation: Sendable {
    private let signal: PauseSignal
    private let id: UInt64

    fileprivate init(_ signal: PauseSignal, _ id: UInt64) {
      self.signal = signal
      self.id = id
    }

    deinit { signal.forget(id) }
  }

  private let state = Guarded(State())

  /// Creates a signal that is not paused.
  public init() {}

  /// Whether it is paused.
  public var isPaused: Bool { state.withLock { $0.isPaused } }

  /// Pauses; does nothing if it is already paused.
  public func pause() {
    let observers = state.withLock { state -> [@Sendable () -> Void] in
      guard !state.isPaused else { return [] }
      state.isPaused = true
      return Array(state.observers.values)
    }
    for tell in observers { tell() }
  }

  /// Resumes; does nothing if it is not paused.
  public func resume() {
    let (observers, waiters) = state.withLock { state in
      let observers = state.isPaused ? Array(state.observers.values) : []
      state.isPaused = false
      return (observers, state.waiters.takeAll())
    }
    for waiter in waiters { waiter.resume() }
    for tell in observers { tell() }
  }

  /// Calls a handler after each change, on the thread that pauses or resumes.
  ///
  /// The handler must return at once.
  ///
  /// Concurrent changes may be reported in either order, so the handler must check `isPaused`. It is not called for the
  /// initial state.
  ///
  /// - Returns: An object whose last reference ends the calls; one that is running may still complete.
  public func observe(_ handler: @escaping @Sendable () -> Void) -> Observation {
    let id = state.withLock { state in
      let id = state.nextID()
      state.observers[id] = handler
      return id
    }
    return Observation(self, id)
  }

  /// Waits until it is resumed; returns at once if it is not paused.
  ///
  /// - Throws: `CancellationError` when the waiting task is cancelled.
  public nonisolated(nonsending) func waitWhilePaused() async throws {
    guard isPaused else { return }
    try await state.wait { $0.isPaused ? nil : .success(()) }
  }

  private func forget(_ id: UInt64) {
    // Release what the handler captures outside the lock.
    _ = state.withLock { $0.observers.removeValue(forKey: id) }
  }
}
