import CurlewBatch
import CurlewCore

/// A store that records no results.
struct FailingStore: BatchStore {
  let store: MemoryBatchStore
  init(_ store: MemoryBatchStore = MemoryBatchStore()) { self.store = store }

  func finish(_ id: BatchLease.ID, with result: BatchResult) async throws {
    throw BatchError(.storeFull, "the disk of the store is full")
  }
  func add(_ items: [BatchItem]) async throws -> Int { try await store.add(items) }
  func lease(_ count: Int, for duration: Duration) async throws -> BatchLeases {
    try await store.lease(count, for: duration)
  }
  func renew(_ renewals: [BatchRenewal], for duration: Duration) async throws -> [BatchOrder] {
    try await store.renew(renewals, for: duration)
  }
  func release(_ id: BatchLease.ID, _ reason: BatchRelease) async throws { try await store.release(id, reason) }
  func apply(_ command: BatchCommand) async throws -> Bool { try await store.apply(command) }
  func summary() async throws -> BatchSummary { try await store.summary() }
  func outcomes(after position: Int64, limit: Int) async throws -> [BatchOutcome] {
    try await store.outcomes(after: position, limit: limit)
  }
  func change(since revision: Int64) async throws { try await store.change(since: revision) }
}
