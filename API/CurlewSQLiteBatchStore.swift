// swift-format-ignore-file
// The public interface of CurlewSQLiteBatchStore, written by `swift package api-text`.

import CSQLite
import CurlewBatch
import CurlewCore
import CurlewRequests
import CurlewStorage
import FoundationEssentials
import Glibc

final public class SQLiteBatchStore : CurlewBatch.BatchStore {

    public enum Access : Sendable, Hashable {

        case writing

        case reading
    }

    public init(_ path: String, access: SQLiteBatchStore.Access = .writing, clock: any CurlewCore.NetworkClock = SystemClock()) async throws

    public func close() async

    @discardableResult
    public func add(_ items: [CurlewBatch.BatchItem]) async throws -> Int

    public func lease(_ count: Int, for duration: Duration) async throws -> CurlewBatch.BatchLeases

    public func renew(_ renewals: [CurlewBatch.BatchRenewal], for duration: Duration) async throws -> [CurlewBatch.BatchOrder]

    public func finish(_ id: CurlewBatch.BatchLease.ID, with result: CurlewBatch.BatchResult) async throws

    public func release(_ id: CurlewBatch.BatchLease.ID, _ reason: CurlewBatch.BatchRelease) async throws

    @discardableResult
    public func apply(_ command: CurlewBatch.BatchCommand) async throws -> Bool

    public func summary() async throws -> CurlewBatch.BatchSummary

    public func outcomes(after position: Int64, limit: Int) async throws -> [CurlewBatch.BatchOutcome]

    public func change(since revision: Int64) async throws
}
