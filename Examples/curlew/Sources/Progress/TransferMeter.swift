import CurlewCore
import Synchronization

/// The progress of one transfer.
///
/// It is written for each chunk without a lock, and read when progress is drawn.
final class TransferMeter: Sendable {
  let name: String
  private let count = Atomic<Int64>(0)
  private let expected = Atomic<Int64>(-1)
  /// The bytes that an earlier run has left, which no rate counts.
  private let kept = Atomic<Int64>(0)

  init(name: String) { self.name = name }

  /// The total in bytes; nil when unknown.
  var total: Int64? {
    let value = expected.load(ordering: .relaxed)
    return value < 0 ? nil : value
  }

  var completed: Int64 { count.load(ordering: .relaxed) }

  /// The bytes that this run has received.
  var received: Int64 { completed - kept.load(ordering: .relaxed) }

  /// Starts again for a new response, which replaces an earlier one.
  func begin(expecting total: Int64?) {
    expected.store(total ?? -1, ordering: .relaxed)
    count.store(0, ordering: .relaxed)
    kept.store(0, ordering: .relaxed)
  }

  /// Shows the progress of a transfer that counts its bytes itself.
  func show(_ completed: Int64, of total: Int64?) {
    expected.store(total ?? -1, ordering: .relaxed)
    count.store(completed, ordering: .relaxed)
  }

  /// Shows the progress of a download, which may go on with the bytes of an earlier run.
  func show(_ progress: TransferProgress) {
    // Less than before are the bytes of another download, which began anew.
    if completed == 0 || progress.completed < completed {
      kept.store(max(0, progress.completed - progress.recent), ordering: .relaxed)
    }
    show(progress.completed, of: progress.total)
  }

  /// Adds bytes and returns the sum so far.
  @discardableResult
  func advance(by bytes: Int) -> Int64 { count.add(Int64(bytes), ordering: .relaxed).newValue }
}
