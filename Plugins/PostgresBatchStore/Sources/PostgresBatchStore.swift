#if Postgres
public import CurlewBatch
public import CurlewCore

/// A batch store on a PostgreSQL server, which any number of processes on any number of machines can share.
///
/// The limits, priorities, pauses and the stop on the first failure apply to all workers together. Leases expire by the clock of
/// the server, so the clocks of the workers do not matter. A worker that has lost its lease can neither finish the item nor
/// confirm that it may publish (`BatchJobContext.confirm`). What a call has answered is durable on the server, as far as its
/// setting `synchronous_commit` allows.
///
/// Each call is a part of one transaction that is sent at once, so a worker that is killed or stopped leaves no lock. Leases, renewals
/// and results that wait at the same time share one. If the connection is lost, the store connects again and repeats the call. The result is the same as if
/// it had been carried out once, with two exceptions: `add` can return a smaller number of new items, and `apply` can return false for
/// a command that was carried out.
///
/// A server that accepts connections but does not answer, because its process is stopped or its disk hangs, holds a call for
/// `timeout` at most, and then counts as lost. A cancelled task waits for an answer for one second more. A call that has been
/// sent by then may still be carried out when the server continues; the leases that it gives expire.
///
/// ```swift
/// let store = try await PostgresBatchStore("postgres://worker@db.example.com/birds")
/// let batch = Batch(over: loader, store: store)
/// try await batch.run()
/// ```
///
/// Each batch has a schema of its own in the database. Every call runs on a thread of the store, over one connection. A pooler
/// between the store and the server must keep sessions; one that only keeps transactions does not work.
public final class PostgresBatchStore: BatchStore {
  /// The purpose for which a store is opened.
  public enum Access: Sendable, Hashable {
    /// Working on the batch.
    ///
    /// A missing schema is created with its tables and functions.
    case writing
    /// Reading the batch, also while workers are at work, and on a standby server.
    ///
    /// Every call that would change the batch throws `storeReadOnly`. Leases that have expired still count as running.
    case reading
  }

  let address: PostgresAddress
  private let queue: CallQueue
  private let patience: Duration
  private let clock: any NetworkClock

  /// Connects to a server, and opens or creates the store.
  ///
  /// - Parameters:
  ///   - address: The address of the database: `postgres://USER:PASSWORD@HOST:PORT/DATABASE?OPTION=VALUE`, with the options of libpq,
  ///     such as `sslmode=verify-full`. No error repeats it or its password.
  ///   - schema: The schema of the batch in the database, 1 to 63 bytes of UTF-8.
  ///   - access: Whether to work on the batch or only to read it.
  ///   - patience: The time for which a call tries to connect again after it has lost the connection. Until then the server can be
  ///     restarted without the batch noticing more than a delay.
  ///   - timeout: The longest time that a call waits for the server's answer before the connection counts as lost. `add` waits a
  ///     millisecond more for each item.
  ///   - clock: The clock for waits.
  /// - Throws: `BatchError` of kind `storeUnreadable` if the address or the schema's name is malformed, the schema belongs to
  ///   another program, has a newer version, or is missing when it is opened for reading, or the database is not in UTF-8;
  ///   `storeReadOnly` if the user may not create it; `storeFailed` if the server cannot be reached.
  public init(
    _ address: String, schema: String = "curlew_batch", access: Access = .writing, patience: Duration = .seconds(60),
    timeout: Duration = .seconds(60), clock: any NetworkClock = SystemClock()
  ) async throws {
    self.address = try PostgresAddress(address)
    guard (1...63).contains(schema.utf8.count), !schema.utf8.contains(0) else {
      throw BatchError(.storeUnreadable, "The name of a schema has 1 to 63 bytes, and no NUL.")
    }
    self.patience = patience
    self.clock = clock
    queue = CallQueue(self.address, schema: schema, access: access, timeout: timeout.limited, clock: clock)
    // Later calls wait for a server that is away; here the address is probably wrong, unless the server says that it starts.
    try await call(
      SingleCall { _ in
        Statement("SELECT")
      } read: { _ in
      }, isOpening: true, isChange: false)
  }

  /// Ends the connection; later calls throw `storeFailed`.
  ///
  /// Releasing the last reference to the store does the same.
  public func close() async { await queue.close() }

  /// Adds items in one transaction.
  ///
  /// Meanwhile no other worker's call is carried out. While workers run, add many items in several calls.
  ///
  /// - Throws: As `BatchStore.add`; also of kind `invalidItem` if all inputs together have more than 256 MB.
  @discardableResult
  public func add(_ items: [BatchItem]) async throws -> Int {
    let new = try NewItems(items)
    guard !items.isEmpty else { return 0 }
    let answer = try await call(
      SingleCall { _ in
        new.statement
      } read: {
        NewItems.read($0)
      }, extra: .milliseconds(items.count))
    return try new.count(of: answer)
  }

  /// Leases ready items.
  public func lease(_ count: Int, for duration: Duration) async throws -> BatchLeases {
    try await call(LeaseCall(count: count, duration: duration))
  }

  /// Extends leases, and returns the orders for their workers.
  public func renew(_ renewals: [BatchRenewal], for duration: Duration) async throws -> [BatchOrder] {
    let renewal = try RenewCall(renewals, duration: duration)
    guard !renewals.isEmpty else { return [] }
    return try await call(renewal)
  }

  /// Stores the result of an item.
  public func finish(_ id: BatchLease.ID, with result: BatchResult) async throws {
    guard try await call(FinishCall(id, result)) else { throw StoreError.leaseLost(id.name) }
  }

  /// Gives an item back without a result.
  public func release(_ id: BatchLease.ID, _ reason: BatchRelease) async throws {
    let wait: Int64? =
      if case .retry(let wait) = reason { wait.microseconds } else { nil }
    let isDone = try await call(
      SingleCall { isRepeated in
        Statement(
          "SELECT release($1, $2, $3, $4)", .text(id.name), .integer(id.token), .integer(wait), .boolean(isRepeated))
      } read: {
        $0.boolean(0, 0)
      })
    guard isDone else { throw StoreError.leaseLost(id.name) }
  }

  /// Applies a command.
  @discardableResult
  public func apply(_ command: BatchCommand) async throws -> Bool {
    let answer = try await call(
      SingleCall { _ in
        command.statement
      } read: {
        $0.integer(0, 0)
      })
    guard answer != -1 else { throw StoreError.unknown(command.itemName ?? "") }
    return answer == 1
  }

  /// A summary of the batch.
  public func summary() async throws -> BatchSummary {
    try await call(
      SingleCall { _ in
        BatchSummary.statement
      } read: {
        BatchSummary.read($0)
      })
  }

  /// Returns results in the order in which items ended.
  public func outcomes(after position: Int64, limit: Int) async throws -> [BatchOutcome] {
    try await call(
      SingleCall { _ in
        BatchOutcome.statement(after: position, limit: limit)
      } read: {
        BatchOutcome.read($0)
      })
  }

  /// Waits until the store may have changed since a revision.
  ///
  /// It asks the server: after a tenth of a second at first, and once a second in the end. A notification by the server would be
  /// earlier, but makes all commits of a database wait for each other.
  public func change(since revision: Int64) async throws {
    var pause = Duration.milliseconds(100)
    while true {
      let hasChanged = try await call(
        SingleCall { _ in
          Statement("SELECT revision <> $1 OR has_passed() FROM batch", .integer(revision))
        } read: {
          $0.boolean(0, 0)
        }, isChange: false)
      if hasChanged { return }
      try await clock.sleep(until: clock.now.advanced(by: pause))
      pause = min(pause * 1.5, .seconds(1))
    }
  }

  // MARK: Calls

  /// Carries out a call, again and again while the connection cannot be had.
  private func call<Call: StoreCall>(
    _ call: Call, isOpening: Bool = false, isChange: Bool = true, extra: Duration = .zero
  ) async throws -> Call.Output {
    let end = clock.now.advanced(by: patience.limited)
    var pause = Duration.milliseconds(50)
    var isRepeated = false
    while true {
      do throws(PostgresError) {
        return try await queue.run(call, isRepeated: isRepeated, isChange: isChange, extra: extra)
      } catch {
        guard error != .cancelled else { throw CancellationError() }
        guard !queue.isClosed else { throw StoreError.closed(address) }
        guard error.isTransient, clock.now < end else { throw StoreError.error(error, address) }
        if isOpening, await !queue.isStarting() { throw StoreError.error(error, address) }
        isRepeated = true
      }
      try await clock.sleep(until: clock.now.advanced(by: pause))
      pause = min(pause * 2, .seconds(2))
    }
  }
}

extension Duration {
  /// The duration in microseconds, from 0 to about a hundred years.
  var microseconds: Int64 {
    let (seconds, attoseconds) = limited.components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  /// The duration, from 0 to about a hundred years, so that no sum overflows.
  fileprivate var limited: Duration { min(max(self, .zero), .seconds(3_000_000_000)) }
}
#endif
