import CurlewCore
import Synchronization

/// How far one transfer has come: written for each chunk without a lock, read when progress is drawn.
final class TransferMeter: Sendable {
  let name: String
  private let count = Atomic<Int64>(0)
  private let expected = Atomic<Int64>(-1)

  init(name: String) { self.name = name }

  /// All bytes; nil when unknown.
  var total: Int64? {
    let value = expected.load(ordering: .relaxed)
    return value < 0 ? nil : value
  }

  var completed: Int64 { count.load(ordering: .relaxed) }

  /// A response has come, in place of an earlier one.
  func begin(expecting total: Int64?) {
    expected.store(total ?? -1, ordering: .relaxed)
    count.store(0, ordering: .relaxed)
  }

  /// Adds bytes and returns all so far.
  @discardableResult
  func advance(by bytes: Int) -> Int64 { count.add(Int64(bytes), ordering: .relaxed).newValue }
}
