public import CurlewBatch
public import CurlewCore
import CurlewStorage

/// A batch store in an SQLite file, which survives the process.
///
/// A program that is killed at any instant and opens its store again goes on where it stopped: no finished item is forgotten, and
/// none is invented. What was being worked on is ready again at once, because the file belongs to one process at a time (a lock on
/// `PATH-lock`, which ends with the process). SQLite keeps `PATH-wal` and `PATH-shm` beside the file while it is open.
///
/// The items stay in the file; the process holds counts and 2 MB of its pages. A commit is written to the system at once and made
/// durable later, so a power failure can cost the last results, whose work is then done again, and never the file.
///
/// Every call runs on a thread of the store's own. Keep the file on a local disk: network file systems have no shared memory.
///
/// ```swift
/// let store = try await SQLiteBatchStore("/var/lib/birds/batch")
/// try await store.add([BatchItem("index", job: .fetch), BatchItem("photos", job: .fetch, dependencies: ["index"])])
/// ```
public final class SQLiteBatchStore: BatchStore {
  /// What a store is opened for.
  public enum Access: Sendable, Hashable {
    /// Working on the batch. The file is made where nothing is there, readable by its owner only.
    case writing
    /// Looking at the batch, also while another process works on it. Whatever would change it throws `storeReadOnly`.
    case reading
  }

  private let path: String
  private let access: Access
  private let work = DiskWork()
  private let signal = ChangeSignal()
  private let clock: any NetworkClock
  private let slot: LedgerSlot

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - access: What for.
  ///   - clock: The clock of leases and waits.
  /// - Throws: `BatchError`: `storeInUse` while another process, or another store of this one, has it for writing;
  ///   `storeReadOnly` where it may not be written; `storeFull`; `storeUnreadable` for what is no store, a damaged one, one of a
  ///   newer version, and for a missing one when it is opened for reading.
  public init(_ path: String, access: Access = .writing, clock: any NetworkClock = SystemClock()) async throws {
    self.path = path
    self.access = access
    self.clock = clock
    let opened = try await work.run { () throws(any Error) in
      try access == .writing ? Ledger.openForWriting(path, clock) : Ledger.openForReading(path, clock)
    }
    slot = LedgerSlot(opened)
    signal.advance(to: opened.tally.summary.revision)
  }

  /// Closes the file and gives up the lock; later calls throw `storeFailed`. The end of the last reference does it too.
  public func close() async {
    await work.run { [slot] in slot.close() }
  }

  /// Adds items, in one transaction.
  @discardableResult
  public func add(_ items: [BatchItem]) async throws -> Int { try await run { try $0.add(items) } }

  /// Leases ready items.
  public func lease(_ count: Int, for duration: Duration) async throws -> BatchLeases {
    try await run { try $0.lease(count, for: duration) }
  }

  /// Lengthens leases, and tells what to do with the items.
  public func renew(_ renewals: [BatchRenewal], for duration: Duration) async throws -> [BatchOrder] {
    try await run { try $0.renew(renewals, for: duration) }
  }

  /// Gives an item its result.
  public func finish(_ id: BatchLease.ID, with result: BatchResult) async throws {
    try await run { try $0.finish(id, with: result) }
  }

  /// Gives an item back without a result.
  public func release(_ id: BatchLease.ID, _ reason: BatchRelease) async throws {
    try await run { try $0.release(id, reason) }
  }

  /// Carries out a command.
  @discardableResult
  public func apply(_ command: BatchCommand) async throws -> Bool { try await run { try $0.apply(command) } }

  /// The state of the batch. Opened for reading, the file is counted anew each time.
  public func summary() async throws -> BatchSummary { try await run { try $0.summary() } }

  /// Reads results in the order in which items ended.
  public func outcomes(after position: Int64, limit: Int) async throws -> [BatchOutcome] {
    try await run { try $0.outcomes(after: position, limit: limit) }
  }

  /// Returns when it is worth asking again; opened for reading, after a second.
  public func change(since revision: Int64) async throws {
    guard access == .writing else { return try await clock.sleep(until: clock.now + .seconds(1)) }
    let moment = try await run { ledger in try ledger.nextMoment().map { ledger.time.instant(of: $0) } }
    try await signal.wait(since: revision, until: moment, on: clock)
  }

  /// Runs a piece of work on the store's thread, and wakes those that wait for a change.
  private func run<Output: Sendable>(_ body: @escaping @Sendable (Ledger) throws -> Output) async throws -> Output {
    try await work.run { [path, slot, signal] () throws(any Error) in
      guard let ledger = slot.ledger else { throw LedgerFailure.closed(path) }
      defer { signal.advance(to: ledger.tally.summary.revision) }
      return try body(ledger)
    }
  }
}

/// The open file of a store; nil once it is closed.
private final class LedgerSlot: Sendable {
  private let state: Guarded<Ledger?>

  init(_ ledger: Ledger) { state = Guarded(ledger) }

  var ledger: Ledger? { state.withLock { $0 } }

  func close() {
    let closed = state.withLock { ledger in
      defer { ledger = nil }
      return ledger
    }
    closed?.lock?.release()
  }
}
