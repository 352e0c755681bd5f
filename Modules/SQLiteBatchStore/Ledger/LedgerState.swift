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
