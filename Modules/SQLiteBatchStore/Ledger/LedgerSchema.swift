import CurlewBatch

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
  /// `head` has the next ready item of each host and priority, so finding the next item of all reads few rows.
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
    CREATE INDEX item_leased ON item(moment, id) WHERE state = 3;
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
