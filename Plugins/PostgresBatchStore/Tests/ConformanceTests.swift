#if Postgres
import CurlewBatchTesting
import CurlewPostgresBatchStore
import Testing

extension ServerTests {
  /// The rules of every batch store, on a real server.
  @Suite struct ConformanceTests {
    @Test(arguments: BatchStoreConformance.rules) func `the store follows the rule`(_ rule: BatchStoreRule) async throws
    {
      let place = try StorePlace()
      let store = try await place.store()
      try place.holdClock()
      try await BatchStoreConformance.check(rule, on: store) { try place.advance(by: $0) }
      await store.close()
    }
  }
}
#endif
