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

/// Limits the time of an operation, even if it ignores cancellation.
enum Deadline {
  /// The error for an operation that exceeded its time.
  struct Passed: Error {
    /// What the operation waited for before it was cancelled.
    var waits = ConformanceWaits.current?.summary ?? ""
  }

  /// Returns the result of `body`, or throws `Passed` after the time.
  ///
  /// In that case `body` is cancelled and not waited for.
  static func run<Value: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let end = Watched<Result<Value, any Error>?>(nil)
    let work = Task {
      let result: Result<Value, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      end.update { $0 = $0 ?? result }
    }
    let timer = Task {
      try await Task.sleep(for: limit)
      end.update { $0 = $0 ?? .failure(Passed()) }
    }
    defer {
      timer.cancel()
      work.cancel()
    }
    try await end.wait { $0 != nil }
    return try (end.current ?? .failure(Passed())).get()
  }
}
