import CurlewBatch
import CurlewCore
import CurlewTestSupport

/// A store whose calls fail for a while, as if another program had locked it.
final class AbsentStore: ForwardingStore {
  /// The names of the calls.
  enum Call: String, CaseIterable {
    case lease, renew, finish, release, summary, outcomes, change
  }

  let store: MemoryBatchStore
  /// The calls that fail.
  private let absent = Guarded<Set<Call>>([])
  /// The number of calls that have failed, and of those that were answered.
  let failed = Watched<[Call: Int]>([:])
  let answered = Watched<[Call: Int]>([:])
  private let isTransient: Bool

  init(_ store: MemoryBatchStore, isTransient: Bool = true) {
    self.store = store
    self.isTransient = isTransient
  }

  /// Lets calls fail from now on; none lets all succeed.
  func leave(_ calls: Set<Call>) { absent.withLock { $0 = calls } }

  private func check(_ call: Call) throws {
    guard absent.withLock({ $0.contains(call) }) else { return answered.update { $0[call, default: 0] += 1 } }
    failed.update { $0[call, default: 0] += 1 }
    var error = BatchError(isTransient ? .storeInUse : .storeFull, "another program has locked the store")
    error.isTransient = isTransient
    throw error
  }

  func lease(_ count: Int, for duration: Duration) async throws -> BatchLeases {
    try check(.lease)
    return try await store.lease(count, for: duration)
  }
  func renew(_ renewals: [BatchRenewal], for duration: Duration) async throws -> [BatchOrder] {
    try check(.renew)
    return try await store.renew(renewals, for: duration)
  }
  func finish(_ id: BatchLease.ID, with result: BatchResult) async throws {
    try check(.finish)
    try await store.finish(id, with: result)
  }
  func release(_ id: BatchLease.ID, _ reason: BatchRelease) async throws {
    try check(.release)
    try await store.release(id, reason)
  }
  func summary() async throws -> BatchSummary {
    try check(.summary)
    return try await store.summary()
  }
  func outcomes(after position: Int64, limit: Int) async throws -> [BatchOutcome] {
    try check(.outcomes)
    return try await store.outcomes(after: position, limit: limit)
  }
  func change(since revision: Int64) async throws {
    try check(.change)
    try await store.change(since: revision)
  }
}
