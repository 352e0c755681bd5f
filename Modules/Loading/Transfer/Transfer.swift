import CurlewCore

/// One logical request that can be started, paused, resumed, cancelled and retried.
///
/// It is the common engine of session tasks, operations, `Connection` and downloads. It makes attempts, one at a time,
/// each with a request of its own, and ends with exactly one outcome, after which nothing more happens. Every method
/// may be called from any isolation at any time; a call that is not allowed in the current state returns false and
/// changes nothing.
///
/// When the last reference is released, a running transfer continues to its end; one that is ready or paused is
/// cancelled.
///
/// ```swift
/// let transfer = Transfer(loader, request, to: .memory(limit: 1 << 20))
/// let result = try await transfer.run()
/// ```
public final class Transfer<Value: Sendable>: Sendable {
  let engine: TransferEngine
  let slot: ValueSlot<Value>

  /// Creates a transfer that waits for `start`.
  public init(_ loader: consuming Loader, _ configuration: consuming Configuration) {
    slot = ValueSlot()
    engine = TransferEngine(loader, TransferPlan(configuration, into: slot))
  }

  deinit { engine.abandon() }

  /// Starts the first attempt.
  ///
  /// - Returns: Whether it was ready; a paused transfer stays paused.
  @discardableResult
  public func start() -> Bool { engine.send(.start) }

  /// Pauses it in both directions.
  ///
  /// Nothing is read, so that the socket fills and the server stops sending, and no more of the request's body is sent,
  /// except for what is already in buffers.
  ///
  /// If an attempt ends while the transfer is paused, its outcome is reported after `resume`. `Configuration.pausing`
  /// decides what happens to the connection. A delay between two attempts continues.
  ///
  /// - Returns: Whether it was ready or running.
  @discardableResult
  public func pause() -> Bool { engine.send(.pause) }

  /// Resumes it; starts another attempt if the connection was released or lost.
  ///
  /// - Returns: Whether it was paused.
  @discardableResult
  public func resume() -> Bool { engine.send(.resume) }

  /// Cancels it at once, in any state.
  ///
  /// The outcome is known when this returns, unless the sink releases something first, as that of a download does. Work that was
  /// running ends afterwards; `settled` waits for that.
  ///
  /// - Returns: Whether it was not finished yet.
  @discardableResult
  public func cancel() -> Bool { engine.send(.cancel) }

  /// The current state.
  public var state: TransferState { engine.state.withLock { $0.machine.state } }

  /// The outcome; nil before the end.
  public var outcome: TransferOutcome<Value>? { engine.outcome.map { slot.outcome($0) } }

  /// The value; waits for it and does not start the transfer.
  ///
  /// Cancelling the waiting task only ends the wait, not the transfer.
  ///
  /// - Throws: The transfer's error; `CancellationError` when the transfer or the waiting task was cancelled.
  public var value: Value {
    get async throws {
      try await engine.finished(leavesWhenCancelled: true)
      return try slot.get()
    }
  }

  /// Starts it if it is ready, and waits for the value.
  ///
  /// Cancelling the task cancels the transfer.
  ///
  /// - Throws: The transfer's error; `CancellationError` when it was cancelled.
  public nonisolated(nonsending) func run() async throws -> Value {
    try await engine.run()
    return try slot.get()
  }

  /// Waits until the transfer has finished and none of its attempts, hooks and writes is running.
  ///
  /// Await it before reusing a file that a cancelled transfer has written.
  public func settled() async {
    try? await engine.finished(leavesWhenCancelled: false)
    await engine.settled()
  }

  /// Waits until the pause has released the writer, or the transfer has settled.
  ///
  /// With `PausePolicy.release` it returns after the writer has received `abandon`: from then on nothing is written. With
  /// `PausePolicy.hold`, and for a request that cannot be repeated, the paused attempt keeps its connection and its writer, and
  /// the method returns at once. The transfer's own hooks and sinks must not await it, because it would wait for them.
  /// Cancelling the waiting task does not end the wait.
  public func halted() async { await engine.halted() }
}
