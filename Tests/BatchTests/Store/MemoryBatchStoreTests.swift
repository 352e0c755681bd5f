import CurlewBatch
import CurlewBatchTesting
import CurlewTestSupport
import Testing

struct MemoryBatchStoreTests {
  @Test(arguments: BatchStoreConformance.rules) func `it follows the rules of stores`(
    _ rule: BatchStoreRule
  ) async throws {
    let clock = ManualClock()
    try await BatchStoreConformance.check(rule, on: MemoryBatchStore(clock: clock)) { clock.advance(by: $0) }
  }

  @Test func `whoever waits learns that a lease has run out, and that a wait before another try is over`() async throws
  {
    let clock = ManualClock()
    let store = MemoryBatchStore(clock: clock)
    try await store.add([BatchStoreKit.item("a")])
    let leases = try await store.lease(1, for: .seconds(5))
    async let expiry: Void = store.change(since: leases.revision)
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    try await expiry
    let again = try await store.lease(1, for: .seconds(50))
    try await store.release(try #require(again.leases.first).id, .retry(after: .seconds(7)))
    let revision = try await store.summary().revision
    async let retry: Void = store.change(since: revision)
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(7))
    try await retry
    #expect(try await store.lease(1, for: .seconds(1)).leases.count == 1)
  }
}
