import CurlewBatch
import CurlewCore

/// A store that passes on every call that it does not implement itself.
protocol ForwardingStore: BatchStore {
  var store: MemoryBatchStore { get }
}

extension ForwardingStore {
  func add(_ items: [BatchItem]) async throws -> Int { try await store.add(items) }
  func lease(_ count: Int, for duration: Duration) async throws -> BatchLeases {
    try await store.lease(count, for: duration)
  }
  func renew(_ renewals: [BatchRenewal], for duration: Duration) async throws -> [BatchOrder] {
    try await store.renew(renewals, for: duration)
  }
  func finish(_ id: BatchLease.ID, with result: BatchResult) async throws { try await store.finish(id, with: result) }
  func release(_ id: BatchLease.ID, _ reason: BatchRelease) async throws { try await store.release(id, reason) }
  func apply(_ command: BatchCommand) async throws -> Bool { try await store.apply(command) }
  func summary() async throws -> BatchSummary { try await store.summary() }
  func outcomes(after position: Int64, limit: Int) async throws -> [BatchOutcome] {
    try await store.outcomes(after: position, limit: limit)
  }
  func change(since revision: Int64) async throws { try await store.change(since: revision) }
}
