import CurlewCore

/// One logical request with everything that can happen to it: started, paused, resumed, cancelled, tried again.
///
/// The one engine under session tasks, operations, `Connection` and downloads. It makes attempts, one at a time, each
/// with a request of its own, and ends in exactly one outcome, after which nothing happens any more. Every method may be
/// called from any isolation at any time; what is not legal in a state is answered with false and changes nothing.
///
/// A running transfer goes on to its end when nobody holds it any more; one that is ready or paused is cancelled then.
///
/// ```swift
/// let transfer = Transfer(loader, request, to: .memory(limit: 1 << 20))
/// let result = try await transfer.run()
/// ```
public final class Transfer<Value: Sendable>: Sendable {
  let engine: TransferEngine

  /// Makes a transfer that waits for `start`.
  public init(_ loader: Loader, _ configuration: Configuration) {
    engine = TransferEngine(loader, TransferPlan(configuration))
  }

  deinit { engine.abandon() }

  /// Begins the first attempt.
  ///
  /// - Returns: Whether it was ready; a paused one stays paused.
  @discardableResult
  public func start() -> Bool { engine.send(.start) }

  /// Halts it: nothing is pulled, so that the socket fills and the sender stops.
  ///
  /// An attempt's outcome that comes while it is paused is told when it is resumed. What becomes of the connection says
  /// `Configuration.pausing`. A wait between two attempts goes on.
  ///
  /// - Returns: Whether it was ready or running.
  @discardableResult
  public func pause() -> Bool { engine.send(.pause) }

  /// Goes on; where the connection was given up or lost meanwhile, with another attempt.
  ///
  /// - Returns: Whether it was paused.
  @discardableResult
  public func resume() -> Bool { engine.send(.resume) }

  /// Ends it at once, from every state.
  ///
  /// The outcome is there when this returns. What was under way winds down behind it; `settled` waits for that.
  ///
  /// - Returns: Whether it was not finished.
  @discardableResult
  public func cancel() -> Bool { engine.send(.cancel) }

  /// Where it is in its life.
  public var state: TransferState { engine.state.withLock { $0.machine.state } }

  /// How it ended; nil before.
  public var outcome: TransferOutcome<Value>? { engine.state.withLock { $0.outcome }?.typed(Value.self) }

  /// The value, waiting for it; starts nothing.
  ///
  /// Cancelling the waiting task ends the waiting and not the transfer.
  ///
  /// - Throws: What the transfer failed with; `CancellationError` when it, or the waiting task, was cancelled.
  public var value: Value {
    get async throws { try unboxed(await engine.value(leavesWhenCancelled: true)) }
  }

  /// Starts it where it is ready, and waits for the value; cancelling the task cancels the transfer.
  ///
  /// - Throws: What the transfer failed with; `CancellationError` when it was cancelled.
  public func run() async throws -> Value {
    // Inside the handler, so that a task that is cancelled already sends nothing.
    try await withTaskCancellationHandler {
      start()
      return try unboxed(await engine.value(leavesWhenCancelled: false))
    } onCancel: {
      cancel()
    }
  }

  /// Returns when it has finished and nothing of it runs any more: no attempt, no hook, no write.
  ///
  /// To be awaited before a file that a cancelled transfer wrote is used again.
  public func settled() async {
    _ = try? await engine.value(leavesWhenCancelled: false)
    await engine.settled()
  }

  private func unboxed(_ value: AnyValue) throws -> Value {
    guard let boxed = value as? Boxed<Value> else { throw TransferPlan.lostType }
    return boxed.value
  }
}
