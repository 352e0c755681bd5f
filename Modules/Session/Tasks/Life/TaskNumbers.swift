import Synchronization

/// Numbers the tasks of the process.
enum TaskNumbers {
  private static let last = Atomic<Int>(0)

  /// Returns a number that no other task has, from 1.
  static func next() -> Int { last.add(1, ordering: .relaxed).newValue }
}
