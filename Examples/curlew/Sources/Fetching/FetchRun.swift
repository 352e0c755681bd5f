import CurlewCore
import FoundationEssentials

/// Runs many fetches, a limited number at a time.
final class FetchRun: Sendable {
  private let fetcher: Fetcher
  private let display: ProgressDisplay
  private let parallel: Int

  init(fetcher: Fetcher, display: ProgressDisplay, parallel: Int) {
    self.fetcher = fetcher
    self.display = display
    self.parallel = parallel
  }

  /// Starts all fetches in order, and passes on each result when it is available.
  ///
  /// - Throws: `CancellationError` when the task was cancelled, after unfinished fetches were cleaned up.
  func run(_ fetches: [Fetch], each: @Sendable (FetchResult) throws -> Void) async throws {
    try await withThrowingTaskGroup(of: FetchResult.self) { group in
      var rest = fetches.makeIterator()
      func startNext() {
        guard !Task.isCancelled, let fetch = rest.next() else { return }
        group.addTask { await self.carry(fetch) }
      }
      for _ in 0..<min(parallel, fetches.count) { startNext() }
      while let result = try await group.next() {
        startNext()
        if !Task.isCancelled { try each(result) }
      }
    }
    try Task.checkCancellation()
  }

  private func carry(_ fetch: Fetch) async -> FetchResult {
    let meter = TransferMeter(name: fetch.request.url.absoluteString)
    display.begin(meter)
    let result = await fetcher.fetch(fetch, meter: meter)
    display.end(meter, failed: result.failure != nil)
    return result
  }
}
