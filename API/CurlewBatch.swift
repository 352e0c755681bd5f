// swift-format-ignore-file
// The public interface of CurlewBatch, written by `swift package api-text`.

import CurlewCore
import CurlewDigests
import CurlewDownload
import CurlewLoading
import CurlewRequests
import CurlewStorage
import FoundationEssentials

final public class Batch : Sendable {

    public struct Configuration : Sendable {

        public var jobs: CurlewRequests.ComponentNames

        public var width: Int

        public var leaseDuration: Duration

        public var progressInterval: Duration

        public var clock: any CurlewCore.NetworkClock

        public init(jobs: CurlewRequests.ComponentNames = ComponentNames())
    }

    public let store: any BatchStore

    public init(_ store: any BatchStore = MemoryBatchStore(), _ configuration: Batch.Configuration = Configuration())

    @discardableResult
    public func start() -> Bool

    @discardableResult
    public func run() async throws -> BatchSummary

    public func stop()

    public var summary: BatchSummary { get async throws }

    public var itemsInFlight: [BatchItemProgress] { get }

    public func observe(on executor: CurlewCore.CallbackExecutor, _ handler: @escaping @Sendable (BatchEvent) -> Void)
}

extension Batch {

    @discardableResult
    public func add(_ items: [BatchItem]) async throws -> Int

    public func add(_ name: String, after dependencies: [String] = [], host: String? = nil, priority: CurlewCore.RequestPriority = .normal, expectedBytes: Int64? = nil, _ job: @escaping @Sendable (BatchJobContext) async throws -> BatchProduct) async throws

    @discardableResult
    public func add(_ chain: BatchChain) async throws -> Int
}

extension Batch {

    @discardableResult
    public func apply(_ command: BatchCommand) async throws -> Bool

    @discardableResult
    public func pause() async throws -> Bool

    @discardableResult
    public func resume() async throws -> Bool

    @discardableResult
    public func cancel() async throws -> Bool

    @discardableResult
    public func pause(_ name: String) async throws -> Bool

    @discardableResult
    public func resume(_ name: String) async throws -> Bool

    @discardableResult
    public func cancel(_ name: String) async throws -> Bool

    @discardableResult
    public func prioritize(_ name: String, _ priority: CurlewCore.RequestPriority) async throws -> Bool
}

extension Batch : AsyncSequence {

    public typealias Element = BatchOutcome

    public func makeAsyncIterator() -> Batch.Iterator

    public struct Iterator : AsyncIteratorProtocol {

        public mutating func next() async throws -> BatchOutcome?
    }
}

extension Batch {

    public func setDelegate(_ delegate: any BatchDelegate, on executor: CurlewCore.CallbackExecutor)
}

extension Batch {

    public convenience init(over loader: CurlewLoading.Loader, store: any BatchStore = MemoryBatchStore())
}

extension Batch.Configuration {

    public init(over loader: CurlewLoading.Loader, on disk: CurlewDownload.DownloadDisk = DownloadDisk(), budget: CurlewLoading.RetryBudget = RetryBudget())
}

public struct BatchChain : Sendable, Hashable {

    public private(set) var items: [BatchItem] { get }

    public init(_ items: [BatchItem] = [])

    public mutating func append(_ item: BatchItem)
}

public enum BatchCommand : Sendable, Hashable {

    case pause

    case resume

    case cancel

    case pauseItem(String)

    case resumeItem(String)

    case cancelItem(String)

    case prioritize(String, CurlewCore.RequestPriority)

    case setRules(BatchRules)

    case reopen

    case reopenItem(String)
}

public protocol BatchDelegate : AnyObject, Sendable {

    func batch(_ batch: Batch, didBegin item: BatchItem)

    func batch(_ batch: Batch, didProgress summary: BatchSummary, items: [BatchItemProgress])

    func batch(_ batch: Batch, didEnd outcome: BatchOutcome)

    func batch(_ batch: Batch, didCompleteWith result: Result<BatchSummary, any Error>)
}

extension BatchDelegate {

    public func batch(_ batch: Batch, didBegin item: BatchItem)

    public func batch(_ batch: Batch, didProgress summary: BatchSummary, items: [BatchItemProgress])

    public func batch(_ batch: Batch, didEnd outcome: BatchOutcome)

    public func batch(_ batch: Batch, didCompleteWith result: Result<BatchSummary, any Error>)
}

public struct BatchDownload : Sendable, Codable {

    public var request: CurlewCore.Request

    public var path: String

    public var digest: String?

    public var replaces: Bool

    public var createsDirectories: Bool

    public var sizeLimit: Int64?

    public var retries: Int?

    public init(_ request: CurlewCore.Request, to path: String, digest: CurlewDownload.ExpectedDigest? = nil)
}

public struct BatchError : Error, Sendable, CustomStringConvertible {

    public struct Kind : RawRepresentable, Sendable, Hashable, CustomStringConvertible {

        public let rawValue: String

        public init(rawValue: String)

        public var description: String { get }

        public static let invalidItem: BatchError.Kind

        public static let duplicateItem: BatchError.Kind

        public static let conflictingItem: BatchError.Kind

        public static let unknownDependency: BatchError.Kind

        public static let dependencyCycle: BatchError.Kind

        public static let unknownItem: BatchError.Kind

        public static let leaseLost: BatchError.Kind

        public static let workerLost: BatchError.Kind

        public static let storeFull: BatchError.Kind

        public static let storeReadOnly: BatchError.Kind

        public static let storeInUse: BatchError.Kind

        public static let storeUnreadable: BatchError.Kind

        public static let storeFailed: BatchError.Kind
    }

    public var kind: BatchError.Kind

    public var item: String?

    public var message: String

    public var underlying: (any Error)?

    public var isTransient: Bool

    public init(_ kind: BatchError.Kind, item: String? = nil, _ message: String, underlying: (any Error)? = nil)

    public var advice: String? { get }

    public var description: String { get }
}

extension BatchError : LocalizedError {

    public var errorDescription: String? { get }

    public var recoverySuggestion: String? { get }
}

extension BatchError.Kind {

    public static let secretsInItem: BatchError.Kind
}

public enum BatchEvent : Sendable {

    case began(BatchItem)

    case progressed(BatchSummary, [BatchItemProgress])

    case ended(BatchOutcome)

    case completed(Result<BatchSummary, any Error>)
}

public struct BatchFailure : Sendable, Hashable, Codable {

    public var kind: String

    public var message: String

    public init(kind: String, message: String)

    public init(_ error: any Error)

    public static func workerLost(_ losses: Int) -> BatchFailure
}

public struct BatchFile : Sendable, Hashable, Codable {

    public var path: String

    public var length: Int64

    public var identity: CurlewCore.FileIdentity

    public var digest: String?

    public var modified: Int64?

    public var modifiedNanoseconds: Int64?

    public init(output: Data) throws
}

public struct BatchGraph : Sendable {

    public struct Outside : Sendable, Hashable {

        public let name: String

        public let item: String

        public var unknown: BatchError { get }
    }

    public let order: [Int]

    public let outside: [BatchGraph.Outside]

    public init(_ items: [BatchItem]) throws(BatchError)
}

public struct BatchItem : Sendable, Hashable, Codable {

    public var name: String

    public var job: CurlewRequests.ComponentName<BatchJob>

    public var input: Data

    public var dependencies: [String]

    public var host: String?

    public var priority: CurlewCore.RequestPriority

    public var expectedBytes: Int64?

    public init(_ name: String, job: CurlewRequests.ComponentName<BatchJob>, input: Data = Data(), dependencies: [String] = [], host: String? = nil, priority: CurlewCore.RequestPriority = .normal, expectedBytes: Int64? = nil)
}

extension BatchItem : CustomReflectable {

    public var customMirror: Mirror { get }
}

extension BatchItem {

    public func check() throws(BatchError)
}

extension BatchItem {

    public static func download(_ name: String, _ request: CurlewCore.Request, to path: String, after dependencies: [String] = [], digest: CurlewDownload.ExpectedDigest? = nil, includesSecrets: Bool = false) throws -> BatchItem

    public static func download(_ name: String, _ download: BatchDownload, after dependencies: [String] = [], includesSecrets: Bool = false) throws -> BatchItem
}

extension BatchItem {

    public static func request(_ name: String, _ request: CurlewCore.Request, after dependencies: [String] = [], includesSecrets: Bool = false) throws -> BatchItem
}

public struct BatchItemProgress : Sendable, Hashable, Identifiable {

    public var name: String

    public var completed: Int64

    public var total: Int64?

    public var id: String { get }

    public init(name: String, completed: Int64 = 0, total: Int64? = nil)
}

public struct BatchJob : Sendable {

    public init(_ run: @escaping @Sendable (BatchJobContext) async throws -> BatchProduct)
}

extension BatchJob {

    public static func download(over loader: CurlewLoading.Loader, on disk: CurlewDownload.DownloadDisk = DownloadDisk(), retry: CurlewLoading.RetryPolicy = .resuming) -> BatchJob

    public static func request(over loader: CurlewLoading.Loader, retry: CurlewLoading.RetryPolicy = RetryPolicy()) -> BatchJob
}

public struct BatchJobContext : Sendable {

    public let lease: BatchLease

    public func report(completed: Int64, of total: Int64?)

    public func confirm(note: Data? = nil) async throws
}

public struct BatchLease : Sendable, Hashable, Identifiable {

    public struct ID : Sendable, Hashable, Codable {

        public var name: String

        public var token: Int64

        public init(name: String, token: Int64)
    }

    public var id: BatchLease.ID

    public var item: BatchItem

    public var retries: Int

    public var note: Data?

    public init(id: BatchLease.ID, item: BatchItem, retries: Int = 0, note: Data? = nil)
}

extension BatchLease : CustomReflectable {

    public var customMirror: Mirror { get }
}

public struct BatchLeases : Sendable, Hashable {

    public var leases: [BatchLease]

    public var isComplete: Bool

    public var revision: Int64

    public init(leases: [BatchLease], isComplete: Bool, revision: Int64)
}

public enum BatchLimits {

    public static let nameBytes: Int

    public static let inputBytes: Int

    public static let outputBytes: Int

    public static let dependencies: Int

    public static let itemsPerCall: Int
}

public enum BatchOrder : String, Sendable, Hashable, CaseIterable {

    case proceed

    case pause

    case cancel

    case abandon
}

public struct BatchOutcome : Sendable, Hashable, Codable {

    public var position: Int64

    public var name: String

    public var result: BatchResult

    public var file: BatchFile? { get }

    public init(position: Int64, name: String, result: BatchResult)
}

public struct BatchProduct : Sendable, Hashable, Codable {

    public var output: Data

    public var bytes: Int64?

    public init(output: Data = Data(), bytes: Int64? = nil)
}

extension BatchProduct : CustomReflectable {

    public var customMirror: Mirror { get }
}

public struct BatchProgress : Sendable, Hashable, Codable {

    public var items: Int

    public var endedItems: Int

    public var sizedItems: Int

    public var endedSizedItems: Int

    public var sizedBytes: Int64

    public var endedBytes: Int64

    public var partialBytes: Int64

    public init()

    public var fraction: Double { get }
}

public enum BatchRelease : Sendable, Hashable {

    case unfinished

    case retry(after: Duration)
}

public struct BatchRenewal : Sendable, Hashable {

    public var id: BatchLease.ID

    public var completed: Int64

    public var total: Int64?

    public var note: Data?

    public init(_ id: BatchLease.ID, completed: Int64 = 0, total: Int64? = nil, note: Data? = nil)
}

extension BatchRenewal : CustomReflectable {

    public var customMirror: Mirror { get }
}

public struct BatchRequest : Sendable, Codable {

    public var request: CurlewCore.Request

    public var retries: Int?

    public init(_ request: CurlewCore.Request)
}

public enum BatchResult : Sendable, Hashable, Codable {

    case succeeded(BatchProduct)

    case failed(BatchFailure)

    case cancelled

    case skipped(because: String)

    public var isSuccess: Bool { get }
}

public struct BatchRetry : Error, Sendable {

    public var delay: Duration

    public init(after delay: Duration)

    public init?(waitingForEarlierWorkerOf lease: BatchLease)

    public init?(afterStallOf lease: BatchLease)
}

public struct BatchRules : Sendable, Hashable, Codable {

    public var limit: Int

    public var perHost: Int?

    public var ageLimit: Duration?

    public var stopsOnFailure: Bool

    public var lossLimit: Int?

    public init(limit: Int = 8, perHost: Int? = 4, ageLimit: Duration? = .seconds(60), stopsOnFailure: Bool = false, lossLimit: Int? = 10)
}

public protocol BatchStore : Sendable {

    @discardableResult
    func add(_ items: [BatchItem]) async throws -> Int

    func lease(_ count: Int, for duration: Duration) async throws -> BatchLeases

    func renew(_ renewals: [BatchRenewal], for duration: Duration) async throws -> [BatchOrder]

    func finish(_ id: BatchLease.ID, with result: BatchResult) async throws

    func release(_ id: BatchLease.ID, _ reason: BatchRelease) async throws

    @discardableResult
    func apply(_ command: BatchCommand) async throws -> Bool

    func summary() async throws -> BatchSummary

    func outcomes(after position: Int64, limit: Int) async throws -> [BatchOutcome]

    func change(since revision: Int64) async throws
}

public struct BatchSummary : Sendable, Hashable, Codable {

    public var blocked: Int

    public var ready: Int

    public var running: Int

    public var paused: Int

    public var succeeded: Int

    public var failed: Int

    public var cancelled: Int

    public var skipped: Int

    public var isPaused: Bool

    public var stoppedBy: String?

    public var rules: BatchRules

    public var progress: BatchProgress

    public var revision: Int64

    public init()

    public var ended: Int { get }

    public var total: Int { get }

    public var isComplete: Bool { get }
}

final public class MemoryBatchStore : BatchStore {

    public init(_ rules: BatchRules = BatchRules(), clock: any CurlewCore.NetworkClock = .system)

    @discardableResult
    public func add(_ items: [BatchItem]) async throws -> Int

    public func lease(_ count: Int, for duration: Duration) async throws -> BatchLeases

    public func renew(_ renewals: [BatchRenewal], for duration: Duration) async throws -> [BatchOrder]

    public func finish(_ id: BatchLease.ID, with result: BatchResult) async throws

    public func release(_ id: BatchLease.ID, _ reason: BatchRelease) async throws

    @discardableResult
    public func apply(_ command: BatchCommand) async throws -> Bool

    public func summary() async throws -> BatchSummary

    public func outcomes(after position: Int64, limit: Int) async throws -> [BatchOutcome]

    public func change(since revision: Int64) async throws
}

extension ComponentName where Component == BatchJob {

    public static let download: CurlewRequests.ComponentName<BatchJob>

    public static let request: CurlewRequests.ComponentName<BatchJob>
}
