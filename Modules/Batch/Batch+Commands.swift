public import CurlewCore

/// The commands, which apply to all workers of the store.
///
/// This batch obeys at once; other workers obey with their next heartbeat. Each method returns whether the command changed
/// anything.
extension Batch {
  /// Applies a command to the batch or to one item.
  ///
  /// - Throws: As `BatchStore.apply`.
  @discardableResult
  public func apply(_ command: BatchCommand) async throws -> Bool {
    let hasChanged = try await store.apply(command)
    worker.renewSoon()
    return hasChanged
  }

  /// Pauses the batch: no item begins, and running items give back their places.
  ///
  /// A download keeps its bytes and continues with them after `resume`. Other jobs start again from their beginning.
  @discardableResult
  public func pause() async throws -> Bool { try await apply(.pause) }

  /// Continues the batch after `pause`.
  @discardableResult
  public func resume() async throws -> Bool { try await apply(.resume) }

  /// Cancels every item without a result.
  @discardableResult
  public func cancel() async throws -> Bool { try await apply(.cancel) }

  /// Pauses one item; if it is running, it gives back its place.
  @discardableResult
  public func pause(_ name: String) async throws -> Bool { try await apply(.pauseItem(name)) }

  /// Continues an item after it was paused; it waits for a free place.
  @discardableResult
  public func resume(_ name: String) async throws -> Bool { try await apply(.resumeItem(name)) }

  /// Cancels one item and skips its dependents.
  @discardableResult
  public func cancel(_ name: String) async throws -> Bool { try await apply(.cancelItem(name)) }

  /// Changes the priority of an item.
  @discardableResult
  public func prioritize(_ name: String, _ priority: RequestPriority) async throws -> Bool {
    try await apply(.prioritize(name, priority))
  }
}
