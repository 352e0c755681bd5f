import CurlewCore

/// Runs one child process at a time that uses a server in the process of the tests.
///
/// swift-testing reads what a child reports on a thread of Swift's pool, which it blocks until the child ends. A machine with two cores
/// has two such threads. Two children at once would take both, and would wait for servers that have none left to run on.
package enum ServedChild {
  private struct State {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private static let state = Guarded(State())

  /// Waits until no other served child runs, and runs one.
  @discardableResult package static func alone<Result>(
    isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Result
  ) async rethrows -> Result {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.isTaken { state.waiting.append(continuation) }
        defer { state.isTaken = true }
        return !state.isTaken
      }
      if isFree { continuation.resume() }
    }
    defer {
      let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
        guard !state.waiting.isEmpty else {
          state.isTaken = false
          return nil
        }
        return state.waiting.removeFirst()
      }
      next?.resume()
    }
    return try await work()
  }
}
