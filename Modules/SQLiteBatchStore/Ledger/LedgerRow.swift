/// The row of an item: what changes while workers work.
struct LedgerRow {
  /// The columns in the order in which `init` reads them.
  static let columns = """
    id, name, host, priority, state, is_paused, is_cancelling, moment, waits, token, retries, completed, size, position, since
    """

  let id: Int64
  let name: String
  /// The host's row; 0 for an item that counts against none.
  let host: Int64
  var priority: Int64
  var state: LedgerState
  /// Whether the item was paused alone.
  var isPaused: Bool
  /// Whether its worker was told to cancel it.
  var isCancelling: Bool
  /// When a wait before another try or a lease is over, in microseconds since 1970.
  var moment: Int64
  /// How many dependencies have not succeeded.
  var waits: Int64
  /// The number of the latest lease.
  var token: Int64
  var retries: Int64
  var completed: Int64
  /// The known size in bytes.
  var size: Int64?
  /// The position of the result.
  var position: Int64?
  /// When the item became ready, in microseconds since 1970; an item that is given back keeps its place.
  var since: Int64

  init(_ row: borrowing SQLiteRow) {
    id = row.integer(0)
    name = row.text(1)
    host = row.integer(2)
    priority = row.integer(3)
    // A number that is none of ours, which only another program can have written, blocks the item and nothing else.
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
  }

  /// The values of the statement that writes a row, which ends with the row's id.
  var values: [SQLiteValue] {
    [
      .integer(priority), .integer(state.rawValue), .integer(isPaused ? 1 : 0), .integer(isCancelling ? 1 : 0),
      .integer(moment), .integer(waits), .integer(token), .integer(retries), .integer(completed), .integer(size),
      .integer(position), .integer(since), .integer(id),
    ]
  }
}
