public import CurlewBatch
public import CurlewCore
import CurlewStorage

/// A batch store in an SQLite file, which outlives the process.
///
/// After a process has been killed, a new process can open the store and continue: every recorded result is there, and items
/// that were running are ready again at once. One process at a time can write; it holds locks on `PATH-lock` and `PATH-wal`, which
/// end with the process. While the file is open, SQLite keeps `PATH-wal` and `PATH-shm` beside it. Symbolic links are followed
/// first, so the same file under another path is the same store; a file with a second hard link is refused.
///
/// The items stay in the file; the process holds counts, the rows of running items and 2 MB of database pages. A commit is passed
/// to the operating system at once and becomes durable later. A power failure can therefore lose the latest results, whose work is
/// then repeated, but it cannot damage the file.
///
/// Every call runs on a thread of the store. Calls that wait for it together share one transaction, so many tasks that finish items at
/// once cost less for each item than one task. The file must be on a local disk, because network file systems have no shared
/// memory.
///
/// ```swift
/// let store = try await SQLiteBatchStore("/var/lib/birds/batch")
/// try await store.add([BatchItem("index", job: .fetch), BatchItem("photos", job: .fetch, dependencies: ["index"])])
/// ```
public final class SQLiteBatchStore: BatchStore {
  /// The purpose for which a store is opened.
  public enum Access: Sendable, Hashable {
    /// Working on the batch.
    ///
    /// A missing file is created, with read and write permission for its owner only.
    case writing
    /// Reading the batch, even while another process works on it.
    ///
    /// Every call that would change the batch throws `storeReadOnly`.
    case reading
  }

  private let access: Access
  private let work = DiskWork()
  private let signal = ChangeSignal()
  private let clock: any NetworkClock
  private let queue: LedgerQueue

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - path: The path of the SQLite file.
  ///   - access: Whether to work on the batch or only to read it.
  ///   - clock: The clock for leases and waits.
  /// - Throws: `BatchError` of kind `storeInUse` if the file is already open for writing, in this or another process;
  ///   `storeReadOnly` if it may not be written; `storeFull`; `storeFailed`; `storeUnreadable` if the file is damaged, is not a
  ///   batch store, has a newer version, or is missing when it is opened for reading.
  public init(_ path: String, access: Access = .writing, clock: any NetworkClock = SystemClock()) async throws {
    self.access = access
    self.clock = clock
    let opened = try await work.run { () throws(any Error) in
      try access == .writing ? Ledger.openForWriting(path, clock) : Ledger.openForReading(path, clock)
    }
    queue = LedgerQueue(opened, path: path, work, signal)
    signal.advance(to: opened.tally.summary.revision)
  }

  /// Closes the file and releases the lock; later calls throw `storeFailed`.
  ///
  /// Releasing the last reference to the store does the same.
  public func close() async {
    await work.run { [queue] in queue.close() }
  }

  /// Adds items in one transaction.
  @discardableResult
  public func add(_ items: [BatchItem]) async throws -> Int { try await run { try $0.add(items) } }

  /// Leases ready items.
  public func lease(_ count: Int, for duration: Duration) async throws -> BatchLeases {
    try await run { try $0.lease(count, for: duration) }
  }

  /// Extends leases, and returns the orders for their workers.
  public func renew(_ renewals: [BatchRenewal], for duration: Duration) async throws -> [BatchOrder] {
    try await run { try $0.renew(renewals, for: duration) }
  }

  /// Stores the result of an item.
  public func finish(_ id: BatchLease.ID, with result: BatchResult) async throws {
    try await run { try $0.finish(id, with: result) }
  }

  /// Gives an item back without a result.
  public func release(_ id: BatchLease.ID, _ reason: BatchRelease) async throws {
    try await run { try $0.release(id, reason) }
  }

  /// Applies a command.
  @discardableResult
  public func apply(_ command: BatchCommand) async throws -> Bool { try await run { try $0.apply(command) } }

  /// A summary of the batch.
  ///
  /// A store that is opened for reading counts all items in the file each time.
  public func summary() async throws -> BatchSummary { try await run { try $0.summary() } }

  /// Returns results in the order in which items ended.
  public func outcomes(after position: Int64, limit: Int) async throws -> [BatchOutcome] {
    try await run { try $0.outcomes(after: position, limit: limit) }
  }

  /// Waits until the store may have changed since a revision.
  ///
  /// A store that is opened for reading waits for one second instead.
  public func change(since revision: Int64) async throws {
    guard access == .writing else { return try await clock.sleep(until: clock.now + .seconds(1)) }
    let moment = try await run { ledger in try ledger.nextMoment().map { ledger.time.instant(of: $0) } }
    try await signal.wait(since: revision, until: moment, on: clock)
  }

  /// Runs a closure on the store's thread, maybe in one transaction with other calls, and wakes tasks that wait for a change.
  private func run<Output: Sendable>(_ body: @escaping @Sendable (Ledger) throws -> Output) async throws -> Output {
    let result = await withUnsafeContinuation { (continuation: UnsafeContinuation<Result<Output, any Error>, Never>) in
      queue.add(
        LedgerQueue.Call(
          attempt: { ledger in
            let output = try body(ledger)
            return { continuation.resume(returning: .success(output)) }
          },
          fail: { continuation.resume(returning: .failure($0)) }))
    }
    return try result.get()
  }
}

/// Wakes the tasks that wait for a change of a store.
final class ChangeSignal: Sendable {
  private struct State {
    var revision: Int64 = 0
    var waiters: [UInt64: AsyncStream<Void>.Continuation] = [:]
    var next: UInt64 = 0
  }

  private let state = Guarded(State())

  /// Sets the revision of the store, and wakes waiting tasks if it is new.
  func advance(to revision: Int64) {
    let waiters = state.withLock { state -> [AsyncStream<Void>.Continuation] in
      guard state.revision != revision else { return [] }
      state.revision = revision
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.finish() }
  }

  /// Waits until the revision differs from the given one, or until an instant.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  func wait(
    since revision: Int64, until instant: ContinuousClock.Instant?, on clock: any NetworkClock
  ) async throws {
    let (stream, waiter) = AsyncStream.makeStream(of: Void.self)
    let number = state.withLock { state -> UInt64? in
      guard state.revision == revision else { return nil }
      state.next += 1
      state.waiters[state.next] = waiter
      return state.next
    }
    try Task.checkCancellation()
    guard let number else { return }
    defer { state.withLock { $0.waiters[number] = nil } }
    try await withThrowingTaskGroup { group in
      group.addTask { for await _ in stream {} }
      if let instant { group.addTask { try await clock.sleep(until: instant) } }
      defer { group.cancelAll() }
      try await group.next()
    }
    try Task.checkCancellation()
  }
}
