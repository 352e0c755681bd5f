public import CurlewCore
import CurlewRequests

extension Batch {
  /// Adds all of the items, or none of them if one is refused.
  ///
  /// Items can be added while the batch works. The batch completes as soon as all of its items have ended; items that are added
  /// later are left to another batch on the store.
  ///
  /// - Returns: The number of items that the store did not have yet.
  /// - Throws: As `BatchStore.add`.
  @discardableResult
  public func add(_ items: [BatchItem]) async throws -> Int { try await store.add(items) }

  /// Adds an item whose job is a closure.
  ///
  /// Only this batch can run it: for a store that outlives the process, or that several workers share, register jobs by name
  /// (`Configuration.jobs`).
  ///
  /// - Throws: As `BatchStore.add`.
  public func add(
    _ name: String, after dependencies: [String] = [], host: String? = nil, priority: RequestPriority = .normal,
    expectedBytes: Int64? = nil, _ job: @escaping @Sendable (BatchJobContext) async throws -> BatchProduct
  ) async throws {
    let item = BatchItem(
      name, job: .closure, dependencies: dependencies, host: host, priority: priority, expectedBytes: expectedBytes)
    let known = worker.keep(BatchJob(job), for: name)
    do {
      guard try await store.add([item]) == 1 else {
        throw BatchError(.duplicateItem, item: name, "the store has it already, and its closure cannot be compared")
      }
    } catch {
      // If the item exists already, it keeps its own closure.
      worker.restore(known, for: name)
      throw error
    }
  }

  /// Adds items that run one after the other.
  ///
  /// When one of them does not succeed, the items after it are skipped.
  ///
  /// - Throws: As `BatchStore.add`.
  @discardableResult
  public func add(_ chain: BatchChain) async throws -> Int { try await store.add(chain.items) }
}

extension ComponentName<BatchJob> {
  /// The job of items whose work is a closure that their batch keeps in memory.
  static let closure = Self("curlew.closure")
}
