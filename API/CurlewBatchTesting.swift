// swift-format-ignore-file
// The public interface of CurlewBatchTesting, written by `swift package api-text`.

import CurlewBatch
import CurlewCore
import CurlewRequests
import CurlewTestSupport
import FoundationEssentials

public enum BatchStoreComparison {

    public static func run(seed: UInt64, calls: Int, on stores: [any CurlewBatch.BatchStore], passing pass: @escaping @Sendable (Duration) async throws -> Void) async throws
}

public enum BatchStoreConformance {

    public static let rules: [BatchStoreRule]

    @discardableResult
    public static func check(_ rule: BatchStoreRule, on store: any CurlewBatch.BatchStore, excluding exclusions: [BatchStoreRule.ID : String] = [:], passing pass: @escaping @Sendable (Duration) async throws -> Void) async throws -> CurlewTestSupport.ConformanceOutcome
}

public struct BatchStoreKit : Sendable {

    public let store: any CurlewBatch.BatchStore

    public func pass(_ duration: Duration) async throws

    public func expect(_ condition: Bool, _ sentence: @autoclosure () -> String) throws(CurlewTestSupport.ConformanceFailure)

    public func expectEqual<Value>(_ found: Value, _ wanted: Value, _ what: @autoclosure () -> String) throws(CurlewTestSupport.ConformanceFailure) where Value : Equatable

    @discardableResult
    public func expectError(_ kind: CurlewBatch.BatchError.Kind, _ what: String, _ body: () async throws -> Void) async throws -> CurlewBatch.BatchError
}

extension BatchStoreKit {

    public static let leaseTime: Duration

    public static let longer: Duration

    public func add(_ names: String...) async throws

    public static func item(_ name: String, after dependencies: [String] = [], host: String? = nil, priority: CurlewCore.RequestPriority = .normal, bytes: Int64? = nil) -> CurlewBatch.BatchItem

    public func lease(_ count: Int = 100) async throws -> [CurlewBatch.BatchLease]

    public func lease(_ name: String) async throws -> CurlewBatch.BatchLease

    @discardableResult
    public func expectLeases(_ names: [String], _ what: String = "the leased items") async throws -> [CurlewBatch.BatchLease]

    public func succeed(_ lease: CurlewBatch.BatchLease) async throws

    public func fail(_ lease: CurlewBatch.BatchLease) async throws

    public func results() async throws -> [String : CurlewBatch.BatchResult]

    public func order(for lease: CurlewBatch.BatchLease) async throws -> CurlewBatch.BatchOrder?
}

public struct BatchStoreRule : Sendable, Identifiable, CustomStringConvertible {

    public let id: String

    public let sentence: String

    public let source: String

    public let reason: String

    public init(_ id: String, _ sentence: String, source: String = "BatchStore", because reason: String = "", check: @escaping @Sendable (BatchStoreKit) async throws -> Void)

    public var description: String { get }
}
