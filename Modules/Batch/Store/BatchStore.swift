public import CurlewCore

/// Keeps the items of a batch, and decides which worker runs which of them.
///
/// A `Batch` is one worker; it calls these methods from any isolation and concurrently. Each call is one transaction: it
/// happens completely or not at all, and all workers see the same order. The limits, the priorities, the pauses and the stop
/// on the first failure belong to the store, so they apply to all its workers together. `BatchStoreConformance`
/// (CurlewBatchTesting) checks the rules.
///
/// **Life of an item.** An item is blocked until all its dependencies have succeeded, then ready, then leased until its worker
/// finishes or releases it, or the lease expires. After an expired lease the item is ready again, even if its worker still
/// works on it; that worker's calls then throw `leaseLost`. When `BatchRules.lossLimit` leases in a row have expired, the item
/// fails with the kind `workerLost`. A result is final, except for `BatchCommand.reopen` and `reopenItem`. When an item ends
/// without success, all its direct and indirect dependents are skipped in the same transaction, with the name of that item. With
/// `BatchCommand.cancel` they are cancelled instead. A dependent can only be running then if the item was reopened; it keeps its
/// lease, and its result counts. If it is given back without a result, or its lease expires, its dependencies decide: it is
/// skipped, or waits for them again.
///
/// **Order.** Among the ready items whose host has a free place, the one with the highest priority begins first. Among equal
/// priorities the one that became ready first begins first, and then the one that was added first. `BatchRules.ageLimit`
/// changes every second lease: it goes to the item that has been ready the longest among those beyond the limit whose priority
/// is lower than that of the next item. An item that was released unfinished keeps the time at which it became ready. An item
/// that is retried, resumed or reopened gets a new time, and so does one whose lease expired: an item that kills its workers
/// goes behind those that have waited.
///
/// **Errors.** Every method throws `BatchError`, and may throw `CancellationError`. After an error nothing has changed, unless
/// the answer was lost with the connection to a server. `BatchError.isTransient` says that the same call can succeed later.
public protocol BatchStore: Sendable {
  /// Adds all items, or none.
  ///
  /// An item that the store already has stays as it is if it is equal except for its priority. A restarted program can
  /// therefore add its whole list again. While the batch is stopped (`BatchSummary.stoppedBy`), new items are skipped at once,
  /// and so is an item with a dependency that has ended without success.
  ///
  /// - Parameter items: At most `BatchLimits.itemsPerCall` items. Their dependencies are in the store or among them, in any
  ///   order.
  /// - Returns: The number of new items.
  /// - Throws: `BatchError` of kind `invalidItem`, `duplicateItem`, `conflictingItem`, `unknownDependency` or
  ///   `dependencyCycle`.
  @discardableResult
  func add(_ items: [BatchItem]) async throws -> Int

  /// Leases ready items to the caller.
  ///
  /// - Parameters:
  ///   - count: The most items to lease, 1 or more.
  ///   - duration: The time until the leases expire unless they are renewed; longer than zero.
  func lease(_ count: Int, for duration: Duration) async throws -> BatchLeases

  /// Extends leases, stores their workers' reports, and returns instructions.
  ///
  /// Each lease then ends after `duration` from now. The call is the heartbeat of a worker, and its check before it publishes
  /// a result: after `proceed` the lease holds for the duration. Leases with the orders `pause` and `cancel` are extended too.
  ///
  /// - Returns: One order for each renewal, in the same order.
  func renew(_ renewals: [BatchRenewal], for duration: Duration) async throws -> [BatchOrder]

  /// Stores the result of an item, whatever order its worker has received.
  ///
  /// - Throws: `BatchError` of kind `leaseLost`, and the result does not count.
  func finish(_ id: BatchLease.ID, with result: BatchResult) async throws

  /// Gives an item back without a result.
  ///
  /// An item that was told to cancel is cancelled.
  ///
  /// - Throws: `BatchError` of kind `leaseLost`.
  func release(_ id: BatchLease.ID, _ reason: BatchRelease) async throws

  /// Applies a command.
  ///
  /// - Returns: Whether it changed anything. It is false for an item with a result, and if the state is already the wanted
  ///   one.
  /// - Throws: `BatchError` of kind `unknownItem`.
  @discardableResult
  func apply(_ command: BatchCommand) async throws -> Bool

  /// The state of the batch.
  func summary() async throws -> BatchSummary

  /// Returns results in the order in which items ended.
  ///
  /// - Parameters:
  ///   - position: The position after which to start; 0 starts with the first.
  ///   - limit: The most results, 1 or more.
  /// - Returns: The results in ascending order of position; empty if there are no later ones.
  func outcomes(after position: Int64, limit: Int) async throws -> [BatchOutcome]

  /// Waits until the store may have changed since a revision.
  ///
  /// It returns when the store has changed, a lease has expired or the wait before a retry has ended, and may return earlier.
  /// A store that others can change without notifying this process checks about once a second. Every call that changes
  /// something, except `renew`, raises the revision.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  func change(since revision: Int64) async throws
}

/// The rules for starting items, which a store applies to all its workers together.
public struct BatchRules: Sendable, Hashable, Codable {
  /// The most items that run at the same time, over all workers; 1 or more.
  public var limit: Int
  /// The most running items with the same `BatchItem.host`; nil sets no limit.
  public var perHost: Int?
  /// The longest time for which items of higher priority may hold an item back.
  ///
  /// From then on, every second lease goes to the item that has waited the longest among those beyond the limit. With `nil`,
  /// higher priorities always come first.
  public var ageLimit: Duration?
  /// Whether the first failure stops the batch.
  ///
  /// Running items are then cancelled, and the others are skipped.
  public var stopsOnFailure: Bool
  /// The number of leases in a row that may expire before the item fails with the kind `workerLost`; nil sets no limit.
  ///
  /// A lease expires when its worker has died or hangs. The limit keeps an item that kills its workers from doing so for ever.
  /// A worker that gives the item back begins the count again.
  public var lossLimit: Int?

  /// Creates rules.
  public init(
    limit: Int = 8, perHost: Int? = 4, ageLimit: Duration? = .seconds(60), stopsOnFailure: Bool = false,
    lossLimit: Int? = 10
  ) {
    self.limit = max(1, limit)
    self.perHost = perHost.map { max(1, $0) }
    self.ageLimit = ageLimit
    self.stopsOnFailure = stopsOnFailure
    self.lossLimit = lossLimit.map { max(1, $0) }
  }
}

/// A change of a batch, or of one item, while workers work on it.
public enum BatchCommand: Sendable, Hashable {
  /// Pauses the batch: no item begins, and running ones give back their places.
  ///
  /// An item that was itself paused stays paused after `resume`.
  case pause
  /// Continues the batch after `pause`.
  case resume
  /// Cancels every item without a result.
  ///
  /// A running item ends when its worker reports it, others end at once.
  case cancel
  /// Pauses one item; if it is running, it gives back its place.
  ///
  /// An item that waits for its dependencies can be paused too.
  case pauseItem(String)
  /// Continues an item after `pauseItem`; it waits for a place again.
  case resumeItem(String)
  /// Cancels one item; its dependents are skipped.
  ///
  /// A running item ends when its worker reports it, others end at once.
  case cancelItem(String)
  /// Changes the priority of an item, which keeps its waiting time.
  case prioritize(String, RequestPriority)
  /// Replaces the rules; running items beyond a smaller limit continue.
  case setRules(BatchRules)
  /// Retries every failed, cancelled or skipped item, and lifts the stop.
  ///
  /// The items start as if they were new. The results of items that succeeded stay.
  case reopen
  /// Repeats one item that has ended, even if it succeeded.
  ///
  /// This is useful when its product was lost. The item starts as if it were new. Dependents without a result that are not
  /// running wait for it again; the results of other dependents stay.
  case reopenItem(String)
}
