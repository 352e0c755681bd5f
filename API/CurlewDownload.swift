// swift-format-ignore-file
// The public interface of CurlewDownload, written by `swift package api-text`.

import CurlewCore
import CurlewDigests
import CurlewLoading
import CurlewStorage
import FoundationEssentials
import Glibc
import HTTPTypes
import Synchronization

public enum CollisionPolicy : String, Sendable, Hashable, CaseIterable, Codable {

    case fail

    case replace

    case number
}

public struct DownloadConfiguration : Sendable {

    public var request: @Sendable (CurlewLoading.AttemptContext) async throws -> CurlewCore.Request

    public var target: DownloadTarget

    public var file: PartialSink.Options

    public var validate: (@Sendable (CurlewCore.ResponseHead, CurlewCore.Request) async throws -> Void)?

    public var retry: CurlewLoading.RetryPolicy?

    public var shouldRetry: (@Sendable (CurlewLoading.TransferAttempt) async -> CurlewLoading.RetryDecision)?

    public var expiredLinkStatuses: Set<Int>

    public var pausing: CurlewLoading.PausePolicy

    public var settings: CurlewCore.ExchangeSettings?

    public init(_ request: CurlewCore.Request, to target: DownloadTarget)

    public init(request: @escaping @Sendable (CurlewLoading.AttemptContext) async throws -> CurlewCore.Request, to target: DownloadTarget)
}

final public class DownloadDisk : Sendable {

    public let files: any CurlewCore.FileSystem

    public init(_ files: any CurlewCore.FileSystem = LocalFileSystem(), clock: any CurlewCore.NetworkClock = SystemClock(), boot: @escaping @Sendable () -> String? = DownloadDisk.systemBoot)

    @Sendable public static func systemBoot() -> String?
}

public struct DownloadResult : Sendable {

    public var path: String

    public var head: CurlewCore.ResponseHead

    public var length: Int64

    public var resumedFrom: Int64

    public var verified: ExpectedDigest?
}

public struct DownloadResumeData : Sendable {

    public static let limit: Int

    public var request: CurlewCore.Request { get }

    public var omittedSecrets: [String] { get }

    public private(set) var download: DownloadState { get }

    public init(_ data: Data) throws(CurlewCore.NetworkError)

    public func encoded(includingSecrets: Bool = false) throws -> Data
}

extension DownloadResumeData : Codable {

    public init(from decoder: any Decoder) throws

    public func encode(to encoder: any Encoder) throws
}

public struct DownloadState : Sendable, Hashable, Codable {

    public var url: String?

    public var path: String?

    public var partialPath: String?

    public var completed: Int64

    public var total: Int64?

    public var validator: EntityValidator?

    public init()
}

extension DownloadState : CustomReflectable {

    public var customMirror: Mirror { get }
}

public struct DownloadTarget : Sendable {

    public static func file(_ path: String) -> DownloadTarget

    public static func file(_ url: URL) throws(CurlewCore.NetworkError) -> DownloadTarget

    public static func directory(_ url: URL, identifier: String? = nil) throws(CurlewCore.NetworkError) -> DownloadTarget

    public static func directory(_ path: String, identifier: String? = nil) -> DownloadTarget

    public static func chosen(partialIn directory: String, identifier: String? = nil, _ choose: @escaping @Sendable (CurlewCore.ResponseHead) async throws -> String) -> DownloadTarget
}

extension DownloadTarget : Codable {

    public init(from decoder: any Decoder) throws

    public func encode(to encoder: any Encoder) throws
}

public struct DownloadVerification : Sendable, Hashable {

    public var expected: ExpectedDigest?

    public var usesFields: Bool

    public init(expected: ExpectedDigest? = nil, usesFields: Bool = true)

    public static let fields: DownloadVerification

    public static let none: DownloadVerification

    public static func digest(_ expected: ExpectedDigest) -> DownloadVerification
}

public typealias Downloader = CurlewLoading.Transfer<DownloadResult>

public enum EntityValidator : Sendable, Hashable {

    case entityTag(String)

    case lastModified(String)

    public init?(_ head: CurlewCore.ResponseHead)

    public var fieldValue: String { get }

    public func matches(_ head: CurlewCore.ResponseHead) -> Bool?
}

extension EntityValidator : Codable {

    public init(from decoder: any Decoder) throws

    public func encode(to encoder: any Encoder) throws
}

public struct ExpectedDigest : Sendable, Hashable, CustomStringConvertible {

    public let algorithm: CurlewDigests.DigestAlgorithm

    public let value: Data

    public init(_ algorithm: CurlewDigests.DigestAlgorithm, _ value: Data) throws(CurlewCore.NetworkError)

    public init(_ text: String) throws(CurlewCore.NetworkError)

    public var description: String { get }
}

public actor PartialSink : CurlewLoading.TransferSink {

    public init(_ target: DownloadTarget, options: PartialSink.Options = Options(), on disk: DownloadDisk)

    nonisolated public var delivery: CurlewCore.ResponseDelivery? { get }

    nonisolated public var state: DownloadState { get }

    nonisolated public var release: (@Sendable () async -> (any CurlewCore.ResumableHandle)?)? { get }

    public func prepare(_ request: CurlewCore.Request, _ attempt: CurlewLoading.AttemptContext) async throws -> CurlewCore.Request

    public func open(_ head: CurlewCore.ResponseHead, _ attempt: CurlewLoading.AttemptContext) async throws -> any CurlewLoading.TransferWriter

    @discardableResult
    public func close(keeping keeps: Bool) async -> ResumeHandle?
}

extension PartialSink {

    public struct Options : Sendable {

        public var collision: CollisionPolicy

        public var verification: DownloadVerification

        public var sizeLimit: Int64?

        public var permissions: UInt16?

        public var keepsModificationTime: Bool

        public var createsDirectories: Bool

        public var survivesPowerFailure: Bool

        public var durableBytes: Int64

        public var durableInterval: Duration

        public var willPublish: (@Sendable (VerifiedFile) async throws -> Void)?

        public init()
    }
}

final public class ResumableMemorySink : CurlewLoading.TransferSink {

    public let limit: Int

    public init(limit: Int)

    public var count: Int { get }

    public var delivery: CurlewCore.ResponseDelivery? { get }

    public func prepare(_ request: CurlewCore.Request, _ attempt: CurlewLoading.AttemptContext) async throws -> CurlewCore.Request

    public func open(_ head: CurlewCore.ResponseHead, _ attempt: CurlewLoading.AttemptContext) async throws -> any CurlewLoading.TransferWriter
}

public struct ResumeHandle : CurlewCore.ResumableHandle, Hashable, Codable {

    public var state: DownloadState

    public var completedBytes: Int64 { get }

    public init(_ state: DownloadState)
}

public struct ResumePlan : Sendable, Hashable {

    public enum Action : Sendable, Hashable {

        case append(at: Int64)

        case truncate(to: Int64)

        case startAnew

        case complete

        case restart(ResumePlan.Reason)

        case refuse(ResumePlan.Refusal)
    }

    public enum Reason : String, Sendable, Hashable, CaseIterable {

        case contentRange

        case length

        case multipart

        case coded

        case changed

        case unproven

        case unsatisfied
    }

    public enum Refusal : Sendable, Hashable, CaseIterable {

        case status

        case unaskedRange

        case coded

        case changed
    }

    public var action: ResumePlan.Action

    public var validator: EntityValidator?

    public var lastModified: String?

    public var total: Int64?

    public var end: Int64?

    public init(_ point: ResumePoint, asked: Int64?, _ head: CurlewCore.ResponseHead)
}

public struct ResumePoint : Sendable, Hashable {

    public enum Source : Sendable, Hashable, CaseIterable {

        case sameURL

        case otherURL

        case freshLink
    }

    public var length: Int64

    public var validator: EntityValidator?

    public var lastModified: String?

    public var total: Int64?

    public var digest: ExpectedDigest?

    public var source: ResumePoint.Source

    public init(length: Int64 = 0, validator: EntityValidator? = nil, lastModified: String? = nil, total: Int64? = nil, digest: ExpectedDigest? = nil, source: ResumePoint.Source = .sameURL)

    public var offset: Int64? { get }
}

public struct VerifiedFile : Sendable, Hashable {

    public var path: String

    public var identity: CurlewCore.FileIdentity

    public var length: Int64

    public var modified: Int64

    public var modifiedNanoseconds: Int64

    public var digest: ExpectedDigest?

    public init(path: String, identity: CurlewCore.FileIdentity, length: Int64, modified: Int64, modifiedNanoseconds: Int64 = 0, digest: ExpectedDigest? = nil)
}

extension RetryPolicy {

    public static var resuming: CurlewLoading.RetryPolicy { get }
}

extension NetworkError.Kind {

    public static let digestMismatch: CurlewCore.NetworkError.Kind

    public static let entityChanged: CurlewCore.NetworkError.Kind

    public static let targetExists: CurlewCore.NetworkError.Kind

    public static let targetInUse: CurlewCore.NetworkError.Kind
}

extension NetworkError.Kind {

    public static let invalidResumeData: CurlewCore.NetworkError.Kind
}

extension Transfer where Value == DownloadResult {

    public convenience init(_ loader: CurlewLoading.Loader, _ configuration: DownloadConfiguration, on disk: DownloadDisk = DownloadDisk())

    public convenience init(_ loader: CurlewLoading.Loader, _ request: CurlewCore.Request, to target: DownloadTarget, on disk: DownloadDisk = DownloadDisk())

    @discardableResult
    public func cancel(keepingPartial keepsPartial: Bool) -> Bool

    public func discard() async

    public var file: DownloadState { get }
}
