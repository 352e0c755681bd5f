import CurlewBatch

/// The statements of a store, each compiled once.
struct LedgerStatements {
  let begin: SQLiteStatement
  let commit: SQLiteStatement
  let rollback: SQLiteStatement

  let rowNamed: SQLiteStatement
  let rowWithID: SQLiteStatement
  let rowAndWork: SQLiteStatement
  let write: SQLiteStatement
  let insertItem: SQLiteStatement
  let insertWork: SQLiteStatement
  let note: SQLiteStatement
  let nextInWaiting: SQLiteStatement

  let host: SQLiteStatement
  let insertHost: SQLiteStatement

  let insertNeed: SQLiteStatement
  let dependents: SQLiteStatement
  let failedNeed: SQLiteStatement
  let unmetNeeds: SQLiteStatement

  let firstReady: SQLiteStatement
  let writeHead: SQLiteStatement
  let removeHead: SQLiteStatement
  let heads: SQLiteStatement
  let headsOfPriority: SQLiteStatement
  let lowerPriority: SQLiteStatement

  let insertOutcome: SQLiteStatement
  let removeOutcome: SQLiteStatement
  let outcomes: SQLiteStatement
  let writeBatch: SQLiteStatement

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    begin = try connection.prepare("BEGIN IMMEDIATE")
    commit = try connection.prepare("COMMIT")
    rollback = try connection.prepare("ROLLBACK")
    rowNamed = try connection.prepare("SELECT \(LedgerRow.columns) FROM item WHERE name = ?")
    rowWithID = try connection.prepare("SELECT \(LedgerRow.columns) FROM item WHERE id = ?")
    rowAndWork = try connection.prepare(
      """
      SELECT \(LedgerRow.columns), job, input, needs, expected, note, (SELECT name FROM host WHERE id = item.host)
        FROM item JOIN work ON work.item = item.id WHERE item.id = ?
      """)
    write = try connection.prepare(
      """
      UPDATE item SET priority = ?, state = ?, is_paused = ?, is_cancelling = ?, moment = ?, waits = ?, token = ?, retries = ?,
        completed = ?, size = ?, position = ?, since = ?, losses = ? WHERE id = ?
      """)
    insertItem = try connection.prepare(
      """
      INSERT INTO item VALUES (NULL, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0, 0, ?, NULL, ?, 0) ON CONFLICT (name) DO NOTHING RETURNING id
      """)
    insertWork = try connection.prepare("INSERT INTO work VALUES (?, ?, ?, ?, ?, NULL)")
    note = try connection.prepare("UPDATE work SET note = ? WHERE item = ?")
    nextInWaiting = try connection.prepare(
      "SELECT \(LedgerRow.columns) FROM item WHERE state = 2 ORDER BY moment, id LIMIT 1")
    host = try connection.prepare("SELECT id FROM host WHERE name = ?")
    insertHost = try connection.prepare("INSERT INTO host VALUES (NULL, ?) RETURNING id")
    insertNeed = try connection.prepare("INSERT INTO need VALUES (?, ?) ON CONFLICT DO NOTHING")
    dependents = try connection.prepare("SELECT item FROM need WHERE dependency = ? ORDER BY item")
    failedNeed = try connection.prepare(
      """
      SELECT d.name, CASE d.state WHEN 7 THEN o.message END FROM need JOIN item d ON d.id = need.dependency
        LEFT JOIN outcome o ON o.position = d.position WHERE need.item = ? AND d.state IN (5, 6, 7) ORDER BY d.position LIMIT 1
      """)
    unmetNeeds = try connection.prepare(
      "SELECT count(*) FROM need JOIN item d ON d.id = need.dependency WHERE need.item = ? AND d.state <> 4")
    firstReady = try connection.prepare(
      """
      SELECT since, id FROM item WHERE state = 1 AND host = ? AND priority = ? ORDER BY since, id LIMIT 1
      """)
    writeHead = try connection.prepare("INSERT OR REPLACE INTO head VALUES (?, ?, ?, ?)")
    removeHead = try connection.prepare("DELETE FROM head WHERE host = ? AND priority = ?")
    heads = try connection.prepare(
      "SELECT host, priority, since, item FROM head ORDER BY priority DESC, since, item")
    headsOfPriority = try connection.prepare(
      "SELECT host, priority, since, item FROM head WHERE priority = ? ORDER BY since, item")
    lowerPriority = try connection.prepare("SELECT max(priority) FROM head WHERE priority < ?")
    insertOutcome = try connection.prepare("INSERT INTO outcome VALUES (?, ?, ?, ?, ?, ?, ?)")
    removeOutcome = try connection.prepare("DELETE FROM outcome WHERE position = ?")
    outcomes = try connection.prepare(
      """
      SELECT o.position, i.name, o.state, o.bytes, o.output, o.kind, o.message FROM outcome o JOIN item i ON i.id = o.item
        WHERE o.position > ? ORDER BY o.position LIMIT ?
      """)
    writeBatch = try connection.prepare(
      """
      UPDATE batch SET "limit" = ?, per_host = ?, age_limit = ?, stops = ?, is_paused = ?, stopped_by = ?, position = ?,
        loss_limit = ?
      """)
  }
}

/// The tables of a store's file, and the numbers that identify its format.
enum LedgerSchema {
  /// Marks a file as a batch store: `CBat` in the header of an SQLite file (`PRAGMA application_id`).
  static let application: Int64 = 0x4342_6174
  /// The version of the tables (`PRAGMA user_version`).
  static let version: Int64 = 2

  /// The settings of a connection that writes.
  ///
  /// With the write-ahead log, a commit appends to one file and readers do not block the writer. If a process is killed during
  /// a commit, the incomplete end of the log is ignored. `synchronous = NORMAL` omits the `fsync` of each commit: the commits
  /// survive the death of the process, but a power failure can lose the latest ones. It cannot damage the file. After a lost
  /// commit, the work of an item is repeated, which every batch must expect anyway.
  static let writing = """
    PRAGMA synchronous = NORMAL;
    PRAGMA cache_size = -2000;
    PRAGMA temp_store = FILE;
    PRAGMA trusted_schema = OFF;
    """

  /// The tables of version 2.
  ///
  /// `item` has the values that change while workers run, and `work` has the constant ones, so a large input is written once.
  /// `head` has the next ready item of each host and priority, so finding the next item of all reads few rows; those that change most
  /// are only in the memory of the process that writes, and the table is made again when the file is opened.
  static let tables = """
    CREATE TABLE batch(
      id INTEGER PRIMARY KEY CHECK (id = 1), "limit" INTEGER NOT NULL, per_host INTEGER, age_limit INTEGER,
      stops INTEGER NOT NULL, is_paused INTEGER NOT NULL, stopped_by TEXT, position INTEGER NOT NULL,
      loss_limit INTEGER);
    CREATE TABLE host(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE item(
      id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, host INTEGER NOT NULL, priority INTEGER NOT NULL,
      state INTEGER NOT NULL, is_paused INTEGER NOT NULL, is_cancelling INTEGER NOT NULL, moment INTEGER NOT NULL,
      waits INTEGER NOT NULL, token INTEGER NOT NULL, retries INTEGER NOT NULL, completed INTEGER NOT NULL, size INTEGER,
      position INTEGER, since INTEGER NOT NULL, losses INTEGER NOT NULL);
    CREATE INDEX item_ready ON item(host, priority, since, id) WHERE state = 1;
    CREATE INDEX item_waiting ON item(moment, id) WHERE state = 2;
    CREATE TABLE work(
      item INTEGER PRIMARY KEY, job TEXT NOT NULL, input BLOB NOT NULL, needs TEXT, expected INTEGER, note BLOB);
    CREATE TABLE need(
      dependency INTEGER NOT NULL, item INTEGER NOT NULL, PRIMARY KEY (dependency, item)) WITHOUT ROWID;
    CREATE INDEX need_item ON need(item);
    CREATE TABLE head(
      host INTEGER NOT NULL, priority INTEGER NOT NULL, since INTEGER NOT NULL, item INTEGER NOT NULL,
      PRIMARY KEY (host, priority)) WITHOUT ROWID;
    CREATE INDEX head_order ON head(priority DESC, since, item);
    CREATE TABLE outcome(
      position INTEGER PRIMARY KEY, item INTEGER NOT NULL, state INTEGER NOT NULL, bytes INTEGER, output BLOB, kind TEXT,
      message TEXT);
    INSERT INTO batch VALUES (1, 8, 4, 60000000, 0, 0, NULL, 0, 10);
    PRAGMA application_id = 1128423796;
    PRAGMA user_version = 2;
    """
}
