/// The row of an item, with the values that change while workers run.
struct LedgerRow {
  /// The columns in the order in which `init` reads them.
  static let columns = """
    id, name, host, priority, state, is_paused, is_cancelling, moment, waits, token, retries, completed, size, position, since,
      losses
    """
  /// The number of these columns.
  static let columnCount: Int32 = 16

  let id: Int64
  let name: String
  /// The row of the host; 0 for an item without a host.
  let host: Int64
  var priority: Int64
  var state: LedgerState
  /// Whether the item itself was paused.
  var isPaused: Bool
  /// Whether the item's worker was told to cancel it.
  var isCancelling: Bool
  /// When the lease or the wait before a retry ends, in microseconds since 1970.
  var moment: Int64
  /// The number of dependencies that have not succeeded.
  var waits: Int64
  /// The number of the latest lease.
  var token: Int64
  var retries: Int64
  var completed: Int64
  /// The size in bytes, if it is known.
  var size: Int64?
  /// The position of the result, once the item has ended.
  var position: Int64?
  /// When the item became ready, in microseconds since 1970.
  ///
  /// A released item keeps this time, and so its place in the order.
  var since: Int64
  /// How many leases in a row have expired.
  var losses: Int64

  init(_ row: borrowing SQLiteRow) {
    id = row.integer(0)
    name = row.text(1)
    host = row.integer(2)
    priority = row.integer(3)
    // Only another program can have written an unknown number. It blocks this item and affects no other.
    state = LedgerState(rawValue: row.integer(4)) ?? .blocked
    isPaused = row.integer(5) != 0
    isCancelling = row.integer(6) != 0
    moment = row.integer(7)
    waits = row.integer(8)
    token = row.integer(9)
    retries = row.integer(10)
    completed = row.integer(11)
    size = row.integerIfPresent(12)
    position = row.integerIfPresent(13)
    since = row.integer(14)
    losses = row.integer(15)
  }

  /// The values for the statement that writes a row; the row's id is the last.
  var values: [SQLiteValue] {
    [
      .integer(priority), .integer(state.rawValue), .integer(isPaused ? 1 : 0), .integer(isCancelling ? 1 : 0),
      .integer(moment), .integer(waits), .integer(token), .integer(retries), .integer(completed), .integer(size),
      .integer(position), .integer(since), .integer(losses), .integer(id),
    ]
  }
}

/// The state of an item, as the file stores it.
enum LedgerState: Int64 {
  /// The item waits for its dependencies.
  case blocked = 0
  /// The item may begin.
  case ready = 1
  /// The item waits before a retry, until `moment`.
  case waiting = 2
  /// A worker has leased the item, until `moment`.
  case leased = 3
  case succeeded = 4
  case failed = 5
  case cancelled = 6
  case skipped = 7
  /// The item itself was paused, and would otherwise be ready or waiting.
  case held = 8

  /// Whether the item has its result.
  var isOver: Bool { (4...7).contains(rawValue) }
}
