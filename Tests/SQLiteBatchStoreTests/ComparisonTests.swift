import CurlewBatch
import CurlewBatchTesting
import CurlewTestSupport
import FoundationEssentials
import Testing

@testable import CurlewSQLiteBatchStore

/// Any calls in any order have the same answers in the file as in memory.
@Suite struct ComparisonTests {
  /// `CURLEW_STORE_CALLS` sets another number of calls, 100,000 in `Scripts/soak`.
  private static let calls = Int(ProcessInfo.processInfo.environment["CURLEW_STORE_CALLS"] ?? "") ?? 1_000

  @Test func `random calls have the same answers as on the store in memory`() async throws {
    for seed in 0..<UInt64(Self.calls / 100) {
      let place = try StorePlace()
      let store = try await place.store()
      try await BatchStoreComparison.run(
        seed: seed, calls: 100, on: [MemoryBatchStore(clock: place.clock), store]
      ) { place.clock.advance(by: $0) }
      await store.close()
    }
  }
}
