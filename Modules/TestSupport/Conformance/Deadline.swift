import CurlewCore

/// Limits the time of an operation, even if it ignores cancellation.
enum Deadline {
  /// The error for an operation that exceeded its time.
  struct Passed: Error {}

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
    guard let result = end.current else { throw Passed() }
    return try result.get()
  }
}
