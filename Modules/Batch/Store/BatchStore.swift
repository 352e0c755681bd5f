/// Keeps the items of a batch, and decides which worker works on which of them.
///
/// A `Batch` is one worker; it calls these methods from any isolation, several at once. Each call is one transaction: it happens
/// whole or not at all, and in one order for all workers. The limits, priorities, pauses and the stop on the first failure belong
/// to the store, so they hold over all workers of a store together. `BatchStoreConformance` (CurlewBatchTesting) checks the rules.
///
/// **Life of an item.** It is blocked until all its dependencies have succeeded, then ready, then leased, until its worker
/// finishes or releases it or the lease runs out. An item whose lease has run out is ready again; it was not finished, even when
/// its worker still works on it: that worker's calls throw `leaseLost` from then on. A result is final (`BatchCommand.reopen`
/// aside). When an item ends in another way than success, all that depend on it, directly or not, are skipped in the same
/// transaction, because of that item. With `BatchCommand.cancel` they are cancelled instead.
///
/// **Order.** Among the ready items whose host has a place, the one of the highest priority begins first, and of these the one
/// that became ready first, and of these the one that was added first. `BatchRules.ageLimit` has every second lease go to another
/// one: let the items that have been ready for longer than the limit, and whose priority is lower than that of the item that would
/// begin, compete by when they became ready. An item that was given back unfinished, or whose lease ran out, keeps the time at which
/// it became ready; one that is tried again, was resumed or reopened becomes ready anew.
///
/// **Errors.** Every method throws `BatchError`, and may throw `CancellationError`. After an error nothing has changed.
public protocol BatchStore: Sendable {
  /// Adds items: all, or none.
  ///
  /// An item that the store has already, equal in everything but its priority, is left as it is, so that a program that is started
  /// again may add its whole list again. While the batch is stopped (`BatchSummary.stoppedBy`), new items are skipped at once. An item
  /// with a dependency that has ended without success is skipped at once too.
  ///
  /// - Parameter items: At most `BatchLimits.itemsPerCall`. Dependencies are in the store, or among these in any order.
  /// - Returns: How many are new.
  /// - Throws: `BatchError` of kind `invalidItem`, `duplicateItem`, `conflictingItem`, `unknownDependency` or `dependencyCycle`.
  @discardableResult
  func add(_ items: [BatchItem]) async throws -> Int

  /// Leases ready items to the caller.
  ///
  /// - Parameters:
  ///   - count: The most items, 1 or more.
  ///   - duration: How long the leases last unless they are renewed; longer than zero.
  func lease(_ count: Int, for duration: Duration) async throws -> BatchLeases

  /// Lengthens leases to a duration from now, keeps what the worker says of them, and tells what to do.
  ///
  /// It is the heartbeat of a worker, and the check before it publishes: a lease that gets `proceed` here holds for the duration.
  /// Leases with the orders `pause` and `cancel` are lengthened too.
  ///
  /// - Returns: One order for each renewal, in their order.
  func renew(_ renewals: [BatchRenewal], for duration: Duration) async throws -> [BatchOrder]

  /// Gives an item its result, whatever its worker was told meanwhile.
  ///
  /// - Throws: `BatchError` of kind `leaseLost`: the result does not count.
  func finish(_ id: BatchLease.ID, with result: BatchResult) async throws

  /// Gives an item back without a result. One that was told to cancel is cancelled by it.
  ///
  /// - Throws: `BatchError` of kind `leaseLost`.
  func release(_ id: BatchLease.ID, _ reason: BatchRelease) async throws

  /// Carries out a command.
  ///
  /// - Returns: Whether it changed anything: false for an item that has its result, and for what is so already.
  /// - Throws: `BatchError` of kind `unknownItem`.
  @discardableResult
  func apply(_ command: BatchCommand) async throws -> Bool

  /// The state of the batch.
  func summary() async throws -> BatchSummary

  /// Reads the results of items in the order in which they ended.
  ///
  /// - Parameters:
  ///   - position: Results behind this position; 0 begins with the first.
  ///   - limit: The most results, 1 or more.
  /// - Returns: Results by rising position; none when there are none behind the position.
  func outcomes(after position: Int64, limit: Int) async throws -> [BatchOutcome]

  /// Returns when it is worth asking again: the store has changed since a revision, or a lease ran out or a wait before another
  /// try ended meanwhile. It may return early.
  ///
  /// A store that others change too, without telling this process, asks every second or so. Every call that changes something but
  /// `renew` raises the revision.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  func change(since revision: Int64) async throws
}
