public import CurlewCore

/// The commands hold for all workers of the store; what this worker runs is told at once, other workers hear of them with their next
/// heartbeat. Each returns whether it changed anything.
extension Batch {
  /// Carries out a command.
  ///
  /// - Throws: As `BatchStore.apply`.
  @discardableResult
  public func apply(_ command: BatchCommand) async throws -> Bool {
    let hasChanged = try await store.apply(command)
    worker.renewSoon()
    return hasChanged
  }

  /// Begins no more items, and has those that run stop and give back their place. A download keeps its bytes; another job begins
  /// anew when it is resumed.
  @discardableResult
  public func pause() async throws -> Bool { try await apply(.pause) }

  /// Goes on after `pause`.
  @discardableResult
  public func resume() async throws -> Bool { try await apply(.resume) }

  /// Ends every item that has no result.
  @discardableResult
  public func cancel() async throws -> Bool { try await apply(.cancel) }

  /// Pauses one item, which gives back its place.
  @discardableResult
  public func pause(_ name: String) async throws -> Bool { try await apply(.pauseItem(name)) }

  /// Goes on with an item that was paused, as soon as there is a place.
  @discardableResult
  public func resume(_ name: String) async throws -> Bool { try await apply(.resumeItem(name)) }

  /// Ends one item; its dependents are skipped.
  @discardableResult
  public func cancel(_ name: String) async throws -> Bool { try await apply(.cancelItem(name)) }

  /// Changes the priority of an item.
  @discardableResult
  public func prioritize(_ name: String, _ priority: RequestPriority) async throws -> Bool {
    try await apply(.prioritize(name, priority))
  }
}
