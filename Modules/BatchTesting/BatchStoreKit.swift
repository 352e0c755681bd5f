public import CurlewBatch
public import CurlewCore
import CurlewRequests
public import CurlewTestSupport

/// The tools of a rule: an empty store, and a way to advance its clock.
public struct BatchStoreKit: Sendable {
  /// An empty store with the default rules.
  public let store: any BatchStore
  let passing: @Sendable (Duration) async throws -> Void

  /// Lets time pass on the store's clock.
  public func pass(_ duration: Duration) async throws { try await passing(duration) }

  /// Throws unless a condition is true.
  public func expect(_ condition: Bool, _ sentence: @autoclosure () -> String) throws(ConformanceFailure) {
    guard condition else { throw ConformanceFailure(sentence()) }
  }

  /// Throws unless two values are equal.
  public func expectEqual<Value: Equatable>(
    _ found: Value, _ wanted: Value, _ what: @autoclosure () -> String
  ) throws(ConformanceFailure) {
    guard found != wanted else { return }
    throw ConformanceFailure("\(what()): \(found) instead of \(wanted)")
  }

  /// Throws unless a closure throws a `BatchError` of the given kind.
  ///
  /// - Returns: The error.
  @discardableResult
  public func expectError(
    _ kind: BatchError.Kind, _ what: String, _ body: () async throws -> Void
  ) async throws -> BatchError {
    do {
      try await body()
    } catch let error as BatchError {
      guard error.kind == kind else {
        throw ConformanceFailure("\(what) ended in \(error.kind.rawValue) instead of \(kind.rawValue): \(error)")
      }
      return error
    } catch {
      throw ConformanceFailure("\(what) ended in \(error) instead of \(kind.rawValue)")
    }
    throw ConformanceFailure("\(what) succeeded instead of ending in \(kind.rawValue)")
  }
}

extension BatchStoreKit {
  /// The duration for which `lease` leases items.
  public static let leaseTime = Duration.seconds(2)
  /// A duration longer than `leaseTime`.
  public static let longer = Duration.seconds(3)

  /// Adds items of one job by their names, without dependencies.
  public func add(_ names: String...) async throws { try await store.add(names.map { BatchStoreKit.item($0) }) }

  /// Creates an item.
  public static func item(
    _ name: String, after dependencies: [String] = [], host: String? = nil, priority: RequestPriority = .normal,
    bytes: Int64? = nil
  ) -> BatchItem {
    BatchItem(
      name, job: .sample, dependencies: dependencies, host: host, priority: priority, expectedBytes: bytes)
  }

  /// Leases up to a number of items for `leaseTime`.
  public func lease(_ count: Int = 100) async throws -> [BatchLease] {
    try await store.lease(count, for: BatchStoreKit.leaseTime).leases
  }

  /// Leases exactly one item, and checks its name.
  public func lease(_ name: String) async throws -> BatchLease {
    let leases = try await lease(1)
    try expectEqual(leases.map(\.item.name), [name], "the leased items")
    guard let lease = leases.first else { throw ConformanceFailure("nothing was leased") }
    return lease
  }

  /// Leases all items that may begin, and checks their names and order.
  ///
  /// - Returns: The leases.
  @discardableResult
  public func expectLeases(_ names: [String], _ what: String = "the leased items") async throws -> [BatchLease] {
    let leases = try await lease()
    try expectEqual(leases.map(\.item.name), names, what)
    return leases
  }

  /// Finishes an item with success.
  public func succeed(_ lease: BatchLease) async throws {
    try await store.finish(lease.id, with: .succeeded(BatchProduct()))
  }

  /// Finishes an item with a failure.
  public func fail(_ lease: BatchLease) async throws {
    try await store.finish(lease.id, with: .failed(BatchFailure(kind: "test", message: "it failed")))
  }

  /// Returns the results of all items that have one, including those whose lease has expired too often.
  public func results() async throws -> [String: BatchResult] {
    var results: [String: BatchResult] = [:]
    // Reading results need not end leases; the summary does.
    _ = try await store.summary()
    for outcome in try await store.outcomes(after: 0, limit: 10_000) {
      try expect(results[outcome.name] == nil, "\(outcome.name) has two outcomes")
      results[outcome.name] = outcome.result
    }
    return results
  }

  /// Renews a lease, and returns the order for its worker.
  public func order(for lease: BatchLease) async throws -> BatchOrder? {
    try await store.renew([BatchRenewal(lease.id)], for: BatchStoreKit.leaseTime).first
  }
}
