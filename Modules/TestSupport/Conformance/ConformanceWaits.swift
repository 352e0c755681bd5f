import CurlewCore

/// What a rule waits for, so that a rule that does not end can say what did not come.
final class ConformanceWaits: Sendable {
  private struct State {
    var open: [(id: Int, what: @Sendable () -> String)] = []
    var last: String?
    var count = 0
  }

  /// Those of the rule that is checked; nil outside of one.
  @TaskLocal static var current: ConformanceWaits?

  private let state = Guarded(State())

  /// Runs code that waits, and names what it waits for in the report of a rule.
  ///
  /// - Parameter what: What should come, and what has come so far; asked when the rule's time is over.
  static func waiting<Result>(
    for what: @escaping @Sendable () -> String, _ body: () async throws -> Result
  ) async rethrows -> Result {
    guard let waits = current else { return try await body() }
    let id = waits.begin(what)
    defer { waits.end(id) }
    return try await body()
  }

  private func begin(_ what: @escaping @Sendable () -> String) -> Int {
    state.withLock { state in
      state.count += 1
      state.open.append((state.count, what))
      return state.count
    }
  }

  private func end(_ id: Int) {
    let ended = state.withLock { state in state.open.first { $0.id == id } }
    let what = ended?.what()
    state.withLock { state in
      state.open.removeAll { $0.id == id }
      state.last = what ?? state.last
    }
  }

  /// What did not come, as the rest of a sentence; without it, what was waited for last.
  var summary: String {
    let (open, last) = state.withLock { ($0.open.prefix(8).map(\.what), $0.last) }
    guard open.isEmpty else { return "; what did not come: " + open.map { $0() }.joined(separator: "; ") }
    return last.map { "; the last wait that ended was for \($0)" } ?? ""
  }
}
