import CurlewCore

/// Lets several fetches write to one output, one after the other in the order of their URLs.
///
/// A fetch that waits for its turn leaves its body unread in the socket.
actor OutputTurns {
  private var current = 0
  private var finished: Set<Int> = []
  private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]

  /// Returns when all earlier fetches are done.
  func wait(for index: Int) async {
    guard index != current else { return }
    await withCheckedContinuation { waiting[index] = $0 }
  }

  /// Marks a fetch as done, whether it wrote anything or not.
  func done(_ index: Int) {
    finished.insert(index)
    while finished.remove(current) != nil {
      current += 1
      waiting.removeValue(forKey: current)?.resume()
    }
  }
}
