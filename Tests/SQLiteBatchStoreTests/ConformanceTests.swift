import CurlewBatchTesting
import CurlewSQLiteBatchStore
import CurlewTestSupport
import Testing

/// The rules of every batch store.
@Suite struct ConformanceTests {
  @Test(arguments: BatchStoreConformance.rules) func `the store follows the rule`(_ rule: BatchStoreRule) async throws {
    let place = try StorePlace()
    let store = try await place.store()
    try await BatchStoreConformance.check(rule, on: store) { place.clock.advance(by: $0) }
    await store.close()
  }
}
