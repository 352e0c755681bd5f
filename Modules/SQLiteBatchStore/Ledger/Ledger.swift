import CurlewBatch
import CurlewCore
import FoundationEssentials
import Glibc

/// The open file of a store, in which every change is one transaction.
///
/// The counts over all items are also kept in memory and follow each transaction, so that no call has to read all rows.
// Safe because only the store's thread calls it, one piece of work after another.
final class Ledger: @unchecked Sendable {
  /// A host and a priority whose next item may have changed.
  private struct Group: Hashable {
    var host: Int64
    var priority: Int64
  }

  let connection: SQLiteConnection
  let statements: LedgerStatements
  let path: String
  let time: LedgerTime
  /// The lock of the process that writes; nil for a store that only reads.
  let lock: StoreLock?
  var tally = LedgerTally()
  private var touched: Set<Group> = []
  private var hasChanged = false
  private var isShared = false

  init(_ connection: SQLiteConnection, path: String, lock: StoreLock?, _ time: LedgerTime) throws {
    self.connection = connection
    self.path = path
    self.lock = lock
    self.time = time
    statements = try LedgerStatements(connection)
    try recount()
  }

  // MARK: Transactions

  /// Runs a closure as one transaction, or as a part of a shared one, after ending expired leases and waits.
  ///
  /// - Throws: `BatchError`, after which nothing has changed.
  func transaction<Output>(_ body: () throws -> Output) throws -> Output {
    guard lock != nil else { throw LedgerFailure.readOnly(path) }
    return isShared ? try LedgerFailure.translating(path) { try change(body) } : try commit { try change(body) }
  }

  /// Runs a closure whose calls of `transaction` are one transaction together.
  ///
  /// - Throws: `BatchError`, after which nothing has changed.
  func sharedTransaction<Output>(_ body: () throws -> Output) throws -> Output {
    isShared = true
    defer { isShared = false }
    return try commit(body)
  }

  private func commit<Output>(_ body: () throws -> Output) throws -> Output {
    let before = tally
    do {
      return try LedgerFailure.translating(path) {
        try statements.begin.run()
        let output = try body()
        try statements.commit.run()
        return output
      }
    } catch {
      tally = before
      touched = []
      // After some errors, SQLite has already ended the transaction.
      if connection.isInTransaction { _ = try? statements.rollback.run() }
      throw error
    }
  }

  private func change<Output>(_ body: () throws -> Output) throws -> Output {
    defer { hasChanged = false }
    try passTime()
    try writeHeads()
    let output = try body()
    try writeHeads()
    if hasChanged { tally.summary.revision += 1 }
    return output
  }

  /// Marks the store as changed when no item's row changes.
  func noteChange() { hasChanged = true }

  /// Ends the leases that have expired, and the finished waits before a retry.
  private func passTime() throws {
    let now = time.now
    guard tally.due <= now else { return }
    while let row = try statements.nextInWaiting.first(read: LedgerRow.init), row.moment <= now {
      var ready = row
      ready.state = .ready
      ready.since = row.moment
      try replace(row, by: ready)
    }
    while let row = try statements.nextInLeased.first(read: LedgerRow.init), row.moment <= now {
      try lose(row, since: row.moment)
    }
    tally.due = try nextMoment() ?? .max
  }

  /// Returns the time at which the next lease or wait ends; nil if none is pending.
  func nextMoment() throws -> Int64? {
    try [statements.nextInWaiting, statements.nextInLeased].compactMap { try $0.first { LedgerRow($0).moment } }.min()
  }

  // MARK: Rows

  /// Returns the row of an item.
  ///
  /// - Throws: `BatchError` of kind `unknownItem`.
  func row(named name: String) throws -> LedgerRow {
    guard let row = try statements.rowNamed.first(.text(name), read: LedgerRow.init) else {
      throw LedgerFailure.unknown(name)
    }
    return row
  }

  /// Returns the row of a lease that is still valid.
  ///
  /// - Throws: `BatchError` of kind `leaseLost`.
  func row(of id: BatchLease.ID) throws -> LedgerRow {
    guard let row = try rowIfLeased(id) else { throw LedgerFailure.leaseLost(id.name) }
    return row
  }

  /// Returns the row of a lease; nil if it is over.
  func rowIfLeased(_ id: BatchLease.ID) throws -> LedgerRow? {
    let row = try statements.rowNamed.first(.text(id.name), read: LedgerRow.init)
    return row?.state == .leased && row?.token == id.token ? row : nil
  }

  /// Writes a changed row, and updates the counts.
  func replace(_ old: LedgerRow, by new: LedgerRow) throws {
    try statements.write.run(new.values)
    tally.count(old, -1)
    tally.count(new, 1)
    if new.state == .leased || new.state == .waiting { tally.due = min(tally.due, new.moment) }
    if old.state == .ready { touch(old) }
    if new.state == .ready { touch(new) }
    hasChanged = true
  }

  /// Notes that the next item of a row's host and priority may have changed.
  func touch(_ row: LedgerRow) { touched.insert(Group(host: row.host, priority: row.priority)) }

  /// Ends the lease of an item without a result: it is ready, paused, blocked, skipped or cancelled.
  func giveBack(_ row: LedgerRow) throws {
    guard !row.isCancelling else { return try end(row, with: .cancelled) }
    // A dependency may have been reopened while the item was running.
    if let name = try failedNeed(of: row.id) { return try end(row, with: .skipped(because: name)) }
    var free = row
    free.waits = try unmetNeeds(of: row.id)
    free.state = free.waits > 0 ? .blocked : row.isPaused ? .held : .ready
    try replace(row, by: free)
  }

  /// Ends a lease that has expired: its worker counts as dead.
  ///
  /// - Parameter moment: When the item became ready again.
  func lose(_ row: LedgerRow, since moment: Int64) throws {
    var lost = row
    lost.losses = max(0, row.losses) &+ 1
    lost.since = moment
    try replace(row, by: lost)
    guard !row.isCancelling, let limit = tally.summary.rules.lossLimit, lost.losses >= max(1, limit) else {
      return try giveBack(lost)
    }
    try conclude(lost, with: .failed(.workerLost(Int(clamping: lost.losses))))
  }

  /// Returns the name of the item for which an item must be skipped; nil if none of its dependencies has failed.
  func failedNeed(of id: Int64) throws -> String? {
    try statements.failedNeed.first(.integer(id)) { row in row.textIfPresent(1) ?? row.text(0) }
  }

  /// Returns the number of dependencies that have not succeeded.
  func unmetNeeds(of id: Int64) throws -> Int64 {
    try statements.unmetNeeds.first(.integer(id)) { row in row.integer(0) } ?? 0
  }

  // MARK: What is next

  /// Updates the next item of each host and priority that has changed.
  func writeHeads() throws {
    for group in touched {
      let first = try statements.firstReady.first(.integer(group.host), .integer(group.priority)) { row in
        (since: row.integer(0), item: row.integer(1))
      }
      if let first {
        try statements.writeHead.run(
          .integer(group.host), .integer(group.priority), .integer(first.since), .integer(first.item))
      } else {
        try statements.removeHead.run(.integer(group.host), .integer(group.priority))
      }
    }
    touched.removeAll(keepingCapacity: true)
  }

  /// Determines the next item of every host and priority.
  func rebuildHeads() throws {
    touched = []
    try connection.execute(
      """
      DELETE FROM head;
      INSERT INTO head SELECT host, priority, since, id FROM (
        SELECT host, priority, since, id, row_number() OVER (PARTITION BY host, priority ORDER BY since, id) AS place
        FROM item WHERE state = 1) WHERE place = 1;
      """)
  }

  // MARK: Counting

  /// Counts all rows again, and reads the rules.
  func recount() throws {
    try LedgerFailure.translating(path) {
      var new = LedgerTally()
      new.summary.revision = tally.summary.revision
      new.wasAged = tally.wasAged
      try connection.prepare(
        """
        SELECT state, is_paused, count(*), count(size), total(size), total(min(completed, size)), max(token) FROM item
          GROUP BY state, is_paused
        """
      ).forEach { row in new.add(row) }
      try connection.prepare("SELECT host, count(*) FROM item WHERE state = 3 GROUP BY host").forEach { row in
        new.runningByHost[row.integer(0)] = Int(row.integer(1))
      }
      try connection.prepare(
        """
        SELECT "limit", per_host, age_limit, stops, is_paused, stopped_by,
          max(position, (SELECT coalesce(max(position), 0) FROM outcome)), loss_limit FROM batch
        """
      ).forEach { row in
        new.summary.rules = BatchRules(
          limit: Int(clamping: row.integer(0)), perHost: row.integerIfPresent(1).map { Int(clamping: $0) },
          ageLimit: row.integerIfPresent(2).map { .microseconds($0) }, stopsOnFailure: row.integer(3) != 0,
          lossLimit: row.integerIfPresent(7).map { Int(clamping: $0) })
        new.summary.isPaused = row.integer(4) != 0
        new.summary.stoppedBy = row.textIfPresent(5)
        new.position = row.integer(6)
      }
      // This store never writes such large numbers, and counting on from them would overflow.
      guard max(new.token, new.position) < 1 << 62 else { throw LedgerFailure.damaged(path) }
      tally = new
    }
  }

  /// Writes the rules, the pause and the stop.
  func writeBatch() throws {
    let (summary, rules) = (tally.summary, tally.summary.rules)
    try statements.writeBatch.run(
      .integer(Int64(rules.limit)), .integer(rules.perHost.map { Int64($0) }),
      .integer(rules.ageLimit.map(\.microseconds)), .integer(rules.stopsOnFailure ? 1 : 0),
      .integer(summary.isPaused ? 1 : 0), .text(summary.stoppedBy), .integer(tally.position),
      .integer(rules.lossLimit.map { Int64($0) }))
    hasChanged = true
  }
}

extension LedgerTally {
  /// Adds the counts of all items in one state.
  fileprivate mutating func add(_ row: borrowing SQLiteRow) {
    let state = LedgerState(rawValue: row.integer(0)) ?? .blocked
    let (items, sized) = (Int(row.integer(2)), Int(row.integer(3)))
    count(state, isPaused: row.integer(1) != 0, items: items)
    summary.progress.items += items
    summary.progress.sizedItems += sized
    summary.progress.sizedBytes &+= row.roundedNumber(4)
    if state.isOver {
      summary.progress.endedItems += items
      summary.progress.endedSizedItems += sized
      summary.progress.endedBytes &+= row.roundedNumber(4)
    } else {
      summary.progress.partialBytes &+= row.roundedNumber(5)
    }
    token = max(token, row.integer(6))
  }
}

extension Ledger {
  /// Opens the file of a store for writing, and creates it if it is missing.
  ///
  /// Leases that an earlier process has left are ended: this process has the lock, so the earlier one is gone.
  ///
  /// - Throws: `BatchError` of kind `storeInUse`, `storeReadOnly`, `storeFull`, `storeUnreadable` or `storeFailed`.
  static func openForWriting(_ given: String, _ clock: any NetworkClock) throws -> Ledger {
    let (path, lock): (String, StoreLock)
    do {
      path = try real(given)
      lock = try take(path)
    } catch let error as FileSystemError {
      throw LedgerFailure.error(error, given)
    }
    return try LedgerFailure.translating(path) {
      let connection = try SQLiteConnection(path, for: .writing)
      // SQLite opens a file without write permission for reading, and reports it only here.
      guard !connection.isReadOnly else { throw LedgerFailure.readOnly(path) }
      if try connection.integer("PRAGMA application_id") == 0, try connection.integer("PRAGMA user_version") == 0,
        try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
      {
        try connection.execute("BEGIN IMMEDIATE;\(LedgerSchema.tables)COMMIT;")
      }
      try checkVersion(connection, path)
      guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else { throw LedgerFailure.noLog(path) }
      try connection.execute(LedgerSchema.writing)
      let ledger = try Ledger(connection, path: path, lock: lock, LedgerTime(clock))
      try lock.takeLog(of: path)
      try ledger.takeOver()
      return ledger
    }
  }

  /// Returns the path of the file to which a symbolic link leads: the names of the lock and of the log are made from it.
  private static func real(_ path: String) throws(FileSystemError) -> String {
    try LocalFileSystem().linkStatus(path)?.kind == .symbolicLink ? LocalFileSystem().resolved(path) : path
  }

  /// Acquires the lock, and creates the file if it is missing.
  private static func take(_ path: String) throws -> StoreLock {
    let files = LocalFileSystem()
    guard let lock = try StoreLock(path) else { throw LedgerFailure.inUse(path) }
    // SQLite would create a file that every user can read, and the URLs of items can contain secrets.
    if try files.status(path) == nil { try files.open(path, [.read, .write, .create, .noFollow]).close() }
    // Each name of a file with several hard links has a log of its own, so their writers would not see each other.
    var status = stat()
    if stat(path, &status) == 0, status.st_nlink > 1 { throw LedgerFailure.severalNames(path) }
    return lock
  }

  /// Opens the file of a store for reading, even while another process writes it.
  ///
  /// - Throws: `BatchError`, like `openForWriting`; of kind `storeUnreadable` if the file is missing.
  static func openForReading(_ path: String, _ clock: any NetworkClock) throws -> Ledger {
    do {
      guard try LocalFileSystem().status(path)?.kind == .regular else { throw LedgerFailure.missing(path) }
    } catch let error as FileSystemError {
      throw LedgerFailure.error(error, path)
    }
    return try LedgerFailure.translating(path) {
      let connection = try readingConnection(path)
      try checkVersion(connection, path)
      return try Ledger(connection, path: path, lock: nil, LedgerTime(clock))
    }
  }

  private static func readingConnection(_ path: String) throws(SQLiteError) -> SQLiteConnection {
    do throws(SQLiteError) {
      let connection = try SQLiteConnection(path, for: .reading)
      _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
      return connection
    } catch {
      // On a read-only medium SQLite cannot create the shared memory of readers. A file with an empty log does not need it.
      let log = try? LocalFileSystem().status(path + "-wal")
      guard error.isCannotOpen || error.isReadOnly, (log?.length ?? 0) == 0 else { throw error }
      return try SQLiteConnection(path, for: .readingImmutable)
    }
  }

  private static func checkVersion(_ connection: SQLiteConnection, _ path: String) throws {
    let application = try connection.integer("PRAGMA application_id")
    guard application == LedgerSchema.application else { throw LedgerFailure.notAStore(path) }
    let version = try connection.integer("PRAGMA user_version")
    guard version == LedgerSchema.version else { throw LedgerFailure.version(version, path) }
  }

  /// Ends the leases and the delays of an earlier process.
  private func takeOver() throws {
    try transaction {
      let now = time.now
      while let row = try statements.nextInLeased.first(read: LedgerRow.init) {
        try lose(row, since: min(row.moment, now))
      }
      // Delays before a retry end now: a user who starts the program again expects it to try again.
      try connection.execute("UPDATE item SET state = 1, since = \(now) WHERE state = 2")
      // If the clock was set back, some items became ready at a time that now lies in the future.
      try connection.execute("UPDATE item SET since = \(now) WHERE state = 1 AND since > \(now)")
      try rebuildHeads()
    }
    try recount()
  }
}

extension Ledger {
  /// Returns a summary of the batch.
  func summary() throws -> BatchSummary {
    guard lock == nil else { return try transaction { tally.summary } }
    return try LedgerFailure.translating(path) {
      // One transaction gives a consistent view, although another process may change the file meanwhile.
      try connection.execute("BEGIN")
      defer { try? connection.execute("COMMIT") }
      try recount()
      return tally.summary
    }
  }

  /// Returns results in the order in which items ended.
  func outcomes(after position: Int64, limit: Int) throws -> [BatchOutcome] {
    try LedgerFailure.translating(path) {
      var outcomes: [BatchOutcome] = []
      try statements.outcomes.forEach(.integer(position), .integer(Int64(max(1, limit)))) { row in
        outcomes.append(BatchOutcome(position: row.integer(0), name: row.text(1), result: Self.result(row)))
      }
      return outcomes
    }
  }

  private static func result(_ row: borrowing SQLiteRow) -> BatchResult {
    switch LedgerState(rawValue: row.integer(2)) {
    case .succeeded: .succeeded(BatchProduct(output: row.bytes(4), bytes: row.integerIfPresent(3)))
    case .failed: .failed(BatchFailure(kind: row.text(5), message: row.text(6)))
    case .skipped: .skipped(because: row.text(6))
    default: .cancelled
    }
  }
}

/// The clock of a store, in microseconds since 1970.
///
/// It starts with the time of the wall clock, so that the next process can interpret the times in the file. It then follows the
/// monotonic clock, so that changes to the wall clock do not affect leases.
struct LedgerTime: Sendable {
  let clock: any NetworkClock
  private let base: Int64
  private let start: ContinuousClock.Instant

  init(_ clock: any NetworkClock) {
    self.clock = clock
    base = Int64(max(0, min(clock.date.timeIntervalSince1970, 1e11)) * 1_000_000)
    start = clock.now
  }

  var now: Int64 { base + start.duration(to: clock.now).microseconds }

  /// Returns the instant that corresponds to a time of the store.
  func instant(of moment: Int64) -> ContinuousClock.Instant {
    // A damaged file can contain any number.
    moment > base ? start + .microseconds(min(moment - base, Duration.most)) : start
  }
}

extension Duration {
  /// About a hundred years in microseconds.
  fileprivate static let most: Int64 = 3_000_000_000 * 1_000_000

  /// The duration in microseconds, from 0 to about a hundred years.
  var microseconds: Int64 {
    let (seconds, attoseconds) = min(max(self, .zero), .microseconds(Self.most)).components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }
}
