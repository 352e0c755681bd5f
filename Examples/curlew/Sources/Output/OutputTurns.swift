import CurlewCore

/// Lets several fetches write to one output, each whole, in the order of their URLs.
///
/// A fetch whose turn has not come leaves its body in the socket.
actor OutputTurns {
  private var current = 0
  private var finished: Set<Int> = []
  private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]

  /// Returns when all earlier ones are done.
  func wait(for index: Int) async {
    guard index != current else { return }
    await withCheckedContinuation { waiting[index] = $0 }
  }

  /// Says that one is done, whether it wrote or not.
  func done(_ index: Int) {
    finished.insert(index)
    while finished.remove(current) != nil {
      current += 1
      waiting.removeValue(forKey: current)?.resume()
    }
  }
}
