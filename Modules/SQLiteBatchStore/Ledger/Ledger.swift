import CurlewBatch
import CurlewCore
import FoundationEssentials
import Glibc

/// The open file of a store, in which every change is one transaction.
///
/// The counts over all items are also kept in memory and follow each transaction, so that no call has to read all rows.
// Safe because only the store's thread calls it, one piece of work after another.
final class Ledger: @unchecked Sendable {
  /// A host and a priority.
  struct Group: Hashable {
    var host: Int64
    var priority: Int64
  }

  /// The next ready item of a group.
  struct Head {
    var group: Group
    var since: Int64
    var item: Int64

    /// Whether it begins before another one.
    func precedes(_ other: Head) -> Bool {
      (-group.priority, since, item) < (-other.group.priority, other.since, other.item)
    }
  }

  let connection: SQLiteConnection
  let statements: LedgerStatements
  let path: String
  let time: LedgerTime
  /// The lock of the process that writes; nil for a store that only reads.
  let lock: StoreLock?
  var tally = LedgerTally()
  /// The rows of all leases, by token: those of an earlier process end when the file is opened.
  private(set) var leased: [Int64: LedgerRow] = [:]
  /// What `leased` had before the open transaction, in the order of the changes.
  private var earlierLeases: [(token: Int64, row: LedgerRow?)] = []
  /// The groups whose next item may have changed since it was read.
  private var touched: Set<Group> = []
  /// The heads of the groups that changed most lately; all others are in the table, and these are not.
  private(set) var newHeads: [Group: Head] = [:]
  /// The most heads that stay in memory, so that a look at all of them is short; the table is then written.
  var mostNewHeads = 32
  /// The groups whose heads the open transaction has changed or moved: they are read again if it is undone.
  private var movedHeads: Set<Group> = []
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
    earlierLeases.removeAll(keepingCapacity: true)
    movedHeads.removeAll(keepingCapacity: true)
    do {
      return try LedgerFailure.translating(path) {
        try statements.begin.run()
        let output = try body()
        if touched.count > mostNewHeads { try readTouched() }
        try statements.commit.run()
        return output
      }
    } catch {
      tally = before
      for (token, row) in earlierLeases.reversed() { leased[token] = row }
      touched.formUnion(movedHeads.union(newHeads.keys))
      newHeads = [:]
      // After some errors, SQLite has already ended the transaction.
      if connection.isInTransaction { _ = try? statements.rollback.run() }
      throw error
    }
  }

  private func change<Output>(_ body: () throws -> Output) throws -> Output {
    defer { hasChanged = false }
    try passTime()
    let output = try body()
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
    try loseLeases(leased.values.filter { $0.moment <= now }.sorted { ($0.moment, $0.id) < ($1.moment, $1.id) })
    tally.due = try nextMoment() ?? .max
  }

  /// Returns the time at which the next lease or wait ends; nil if none is pending.
  func nextMoment() throws -> Int64? {
    let waiting = try statements.nextInWaiting.first { LedgerRow($0).moment }
    return [waiting, leased.values.lazy.map(\.moment).min()].compactMap { $0 }.min()
  }

  /// Ends leases whose workers count as dead, each at its own moment unless that is in the future.
  private func loseLeases(_ rows: [LedgerRow]) throws {
    for found in rows {
      // The end of another one may have stopped the batch, and changed this one.
      guard let row = try statements.rowWithID.first(.integer(found.id), read: LedgerRow.init), row.state == .leased
      else { continue }
      try lose(row, since: min(row.moment, time.now))
    }
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
    guard let row = rowIfLeased(id) else { throw LedgerFailure.leaseLost(id.name) }
    return row
  }

  /// Returns the row of a lease; nil if it is over.
  func rowIfLeased(_ id: BatchLease.ID) -> LedgerRow? { leased[id.token].flatMap { $0.name == id.name ? $0 : nil } }

  /// Writes a changed row, and updates the counts.
  func replace(_ old: LedgerRow, by new: LedgerRow) throws {
    try statements.write.run(new.values)
    tally.count(old, -1)
    tally.count(new, 1)
    if new.state == .leased || new.state == .waiting { tally.due = min(tally.due, new.moment) }
    if old.state == .leased { setLeased(old.token, nil) }
    if new.state == .leased { setLeased(new.token, new) }
    if old.state == .ready { touch(old) }
    if new.state == .ready { touch(new) }
    hasChanged = true
  }

  private func setLeased(_ token: Int64, _ row: LedgerRow?) {
    earlierLeases.append((token, leased[token]))
    leased[token] = row
  }

  /// Notes for every lease that its worker is to cancel it.
  func noteCancelling() {
    for (token, row) in leased {
      var cancelling = row
      cancelling.isCancelling = true
      setLeased(token, cancelling)
    }
    noteChange()
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

  /// Returns the head that begins first, among those whose host has a free place.
  ///
  /// - Parameter priority: Only heads of this priority; nil for all.
  func firstHead(of priority: Int64? = nil) throws -> Head? {
    try readTouched()
    // Skips hosts without a free place. There are few of them, because each has running items.
    let tally = tally
    let read = { (row: borrowing SQLiteRow) -> Head? in
      guard tally.hasPlace(on: row.integer(0)) else { return nil }
      return Head(
        group: Group(host: row.integer(0), priority: row.integer(1)), since: row.integer(2), item: row.integer(3))
    }
    var first =
      if let priority { try statements.headsOfPriority.first(.integer(priority), read: read) } else {
        try statements.heads.first(read: read)
      }
    for head in newHeads.values where tally.hasPlace(on: head.group.host) {
      guard priority == nil || head.group.priority == priority else { continue }
      if first.map(head.precedes) ?? true { first = head }
    }
    return first
  }

  /// Returns the highest priority below another one that has a ready item.
  func priority(below priority: Int64) throws -> Int64? {
    try readTouched()
    let written = try statements.lowerPriority.first(.integer(priority)) { row in row.integerIfPresent(0) }
    let new = newHeads.keys.lazy.map(\.priority).filter { $0 < priority }.max()
    return [written, new].compactMap { $0 }.max()
  }

  /// Determines the next item of each group that has changed, and takes it from the table into memory.
  private func readTouched() throws {
    for group in touched {
      let (host, priority) = (SQLiteValue.integer(group.host), SQLiteValue.integer(group.priority))
      movedHeads.insert(group)
      if newHeads[group] == nil { try statements.removeHead.run(host, priority) }
      newHeads[group] = try statements.firstReady.first(host, priority) { row in
        Head(group: group, since: row.integer(0), item: row.integer(1))
      }
    }
    touched.removeAll(keepingCapacity: true)
    if newHeads.count > mostNewHeads { try writeHeads() }
  }

  private func writeHeads() throws {
    for (group, head) in newHeads {
      try statements.writeHead.run(
        .integer(group.host), .integer(group.priority), .integer(head.since), .integer(head.item))
      movedHeads.insert(group)
    }
    newHeads.removeAll(keepingCapacity: true)
  }

  /// Determines the next item of every host and priority.
  func rebuildHeads() throws {
    movedHeads.formUnion(touched.union(newHeads.keys))
    touched = []
    newHeads = [:]
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
      var leases: [LedgerRow] = []
      try connection.prepare("SELECT \(LedgerRow.columns) FROM item WHERE state = 3 ORDER BY moment, id").forEach {
        row in
        leases.append(LedgerRow(row))
      }
      try loseLeases(leases)
      let now = time.now
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
