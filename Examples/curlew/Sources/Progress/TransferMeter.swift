import CurlewCore
import Synchronization

/// The progress of one transfer.
///
/// It is written for each chunk without a lock, and read when progress is drawn.
final class TransferMeter: Sendable {
  let name: String
  private let count = Atomic<Int64>(0)
  private let expected = Atomic<Int64>(-1)

  init(name: String) { self.name = name }

  /// The total in bytes; nil when unknown.
  var total: Int64? {
    let value = expected.load(ordering: .relaxed)
    return value < 0 ? nil : value
  }

  var completed: Int64 { count.load(ordering: .relaxed) }

  /// Starts again for a new response, which replaces an earlier one.
  func begin(expecting total: Int64?) {
    expected.store(total ?? -1, ordering: .relaxed)
    count.store(0, ordering: .relaxed)
  }

  /// Shows the progress of a transfer that counts its bytes itself.
  func show(_ completed: Int64, of total: Int64?) {
    expected.store(total ?? -1, ordering: .relaxed)
    count.store(completed, ordering: .relaxed)
  }

  /// Adds bytes and returns the sum so far.
  @discardableResult
  func advance(by bytes: Int) -> Int64 { count.add(Int64(bytes), ordering: .relaxed).newValue }
}
