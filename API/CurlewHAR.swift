// swift-format-ignore-file
// The public interface of CurlewHAR, written by `swift package api-text`.

import CurlewContentCoding
import CurlewCore
import CurlewJSON
import Dispatch
import FoundationEssentials
import Glibc
import HTTPTypes
import Synchronization

public struct CurlCommand : Sendable, Hashable, CustomStringConvertible {

    public let text: String

    public let isComplete: Bool

    public var description: String { get }

    public static let bodyLimit: Int

    public init(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange? = nil, redaction: CurlewCore.Redaction? = .standard, showsContent: Bool = false)
}

public struct CurlCommandObserver : CurlewCore.EventObserver {

    public init(redaction: CurlewCore.Redaction? = .standard, handle: @escaping @Sendable (CurlCommand) -> Void)

    public var wantsSecrets: Bool { get }

    public func observe(_ event: CurlewCore.ExchangeEvent)
}

public struct HARDocument : Sendable {

    public var creator: String

    public var entries: [HAREntry]

    public var isComplete: Bool

    public static let byteLimit: Int

    public init(contentsOf path: String) throws

    public init(_ data: Data) throws(HARError)
}

public struct HAREntry : Sendable {

    public var started: String

    public var milliseconds: Double?

    public var request: CurlewCore.Request

    public var head: CurlewCore.ResponseHead?

    public var body: Data?

    public var timings: [(name: String, milliseconds: Double)]

    public var error: String?
}

extension HAREntry {

    public func differences(from request: CurlewCore.Request, content: Data, matching: HARMatching = .strict, redaction: CurlewCore.Redaction? = .standard) -> [String]
}

extension HAREntry {

    public var pieces: [(bytes: Int, after: Duration)] { get }

    public var untilHead: Duration { get }

    public var trailers: HTTPTypes.HTTPFields? { get }

    public var informational: [HTTPTypes.HTTPResponse] { get }

    public var failure: CurlewCore.NetworkError? { get }

    public var connectionReused: Bool? { get }

    public var isCancelled: Bool { get }

    public var isCached: Bool { get }

    public var omission: String? { get }

    public var isDecoded: Bool { get }
}

public struct HARError : Error, Sendable, Hashable, CustomStringConvertible {

    public let reason: String

    public var description: String { get }
}

extension HARError : LocalizedError {

    public var errorDescription: String? { get }
}

public struct HARMatching : OptionSet, Sendable, Hashable {

    public let rawValue: UInt8

    public init(rawValue: UInt8)

    public static let method: HARMatching

    public static let url: HARMatching

    public static let fields: HARMatching

    public static let content: HARMatching

    public static let requestLine: HARMatching

    public static let strict: HARMatching
}

public struct HARPage : Sendable {

    public let html: Data

    public static let previewLimit: Int

    public init(_ document: HARDocument, title: String)
}

final public class HARRecorder : CurlewCore.EventObserver {

    public struct Options : Sendable {

        public var byteLimit: Int64

        public var openLimit: Int

        public var redaction: CurlewCore.Redaction?

        public init()
    }

    public init(_ path: String, options: HARRecorder.Options = Options()) throws(CurlewCore.FileSystemError)

    deinit

    public var wantsSecrets: Bool { get }

    public var entryCount: Int { get }

    public var droppedCount: Int { get }

    public var failure: CurlewCore.FileSystemError? { get }

    public func close()

    public func observe(_ event: CurlewCore.ExchangeEvent)
}

final public class HARRecordingTransport : CurlewCore.Transport {

    public struct Options : Sendable {

        public var bodyLimit: Int

        public var byteLimit: Int64

        public var redaction: CurlewCore.Redaction?

        public init()
    }

    public init(_ wrapped: any CurlewCore.Transport, to path: String, continuing recording: HARDocument? = nil, options: HARRecordingTransport.Options = Options()) throws(CurlewCore.FileSystemError)

    public var capabilities: CurlewCore.TransportCapabilities { get }

    public var entryCount: Int { get }

    public var failure: CurlewCore.FileSystemError? { get }

    public func send(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange) async throws -> CurlewCore.Response

    public func shutdown() async
}

extension Request {

    public var curlCommand: String { get }
}

extension NetworkError {

    public var curlCommand: String? { get }

    public var descriptionWithCommand: String { get }
}
