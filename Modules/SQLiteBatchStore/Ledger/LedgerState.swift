/// The state of an item, as the file has it.
enum LedgerState: Int64 {
  /// Waits for its dependencies.
  case blocked = 0
  /// May begin.
  case ready = 1
  /// Waits before another try; `moment` is when that begins.
  case waiting = 2
  /// A worker has it; `moment` is when the lease runs out.
  case leased = 3
  case succeeded = 4
  case failed = 5
  case cancelled = 6
  case skipped = 7
  /// Would be ready or waiting, and was paused alone.
  case held = 8

  /// Whether the item has its result.
  var isOver: Bool { (4...7).contains(rawValue) }
}
