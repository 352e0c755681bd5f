#if Postgres
import CurlewBatch
import CurlewBatchTesting
import CurlewCore
import CurlewSQLiteBatchStore
import CurlewTestSupport
import FoundationEssentials
import Testing

@testable import CurlewPostgresBatchStore

extension ServerTests {
  /// Any calls in any order have the same answers on a server, in a file and in memory, which is the reference.
  @Suite struct RandomCallTests {
    /// `CURLEW_STORE_CALLS` sets another number of calls, 100,000 in `Scripts/soak`.
    private static let calls = Int(ProcessInfo.processInfo.environment["CURLEW_STORE_CALLS"] ?? "") ?? 1_000

    @Test func `random calls have the same answers on all three stores`() async throws {
      for seed in 0..<UInt64(Self.calls / 200) {
        let place = try StorePlace()
        let path = FileManager.default.temporaryDirectory.path + "/curlew-random-\(UInt64.random(in: 0 ... .max))"
        defer { for end in ["", "-lock", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        let clock = ManualClock()
        let (store, file) = (try await place.store(), try await SQLiteBatchStore(path, clock: clock))
        try place.holdClock()
        try await BatchStoreComparison.run(
          seed: seed, calls: 200, on: [MemoryBatchStore(clock: clock), file, store]
        ) { duration in
          try place.advance(by: duration)
          clock.advance(by: duration)
        }
        await store.close()
        await file.close()
      }
    }
  }
}
#endif
