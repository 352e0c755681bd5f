import CurlewCore

/// Runs one child process at a time that uses a server in the process of the tests.
///
/// swift-testing reads what a child reports on a thread of Swift's pool, which it blocks until the child ends. A machine with two cores
/// has two such threads. Two children at once would take both, and would wait for servers that have none left to run on.
package enum ServedChild {
  private static let turn = AsyncMutex()

  /// Waits until no other served child runs, and runs one.
  @discardableResult package static func alone<Result>(
    isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Result
  ) async rethrows -> Result {
    await turn.lock()
    defer { turn.unlock() }
    return try await work()
  }
}
