import CurlewBatch
import CurlewCore

/// A store that records no results.
struct FailingStore: ForwardingStore {
  let store: MemoryBatchStore
  init(_ store: MemoryBatchStore = MemoryBatchStore()) { self.store = store }

  func finish(_ id: BatchLease.ID, with result: BatchResult) async throws {
    throw BatchError(.storeFull, "the disk of the store is full")
  }
}
