// swift-format-ignore-file
// The public interface of CurlewTestSupport, written by `swift package api-text`.

import CLinux
import COpenSSL
import CurlewContentCoding
import CurlewCore
import CurlewLoading
import CurlewSerialization
import CurlewSession
import FoundationEssentials
import Glibc
import HTTPTypes

public struct BytePattern : Sendable, Hashable {

    public static func repeating(_ byte: UInt8) -> BytePattern

    public static func seeded(_ seed: UInt64) -> BytePattern

    public func bytes(from offset: Int64 = 0, count: Int) -> [UInt8]
}

public struct CertificateError : Error, Sendable, CustomStringConvertible {

    public let operation: String

    public let reason: String

    public var description: String { get }
}

extension CertificateError : LocalizedError {

    public var errorDescription: String? { get }
}

public struct CertificateProfile : Sendable {

    public var notBefore: Int64

    public var notAfter: Int64

    public init(names: [String] = ["localhost"])

    public static var server: CertificateProfile { get }

    public static func client(_ commonName: String = "Curlew Test Client") -> CertificateProfile

    public static func authority(_ commonName: String = "Curlew Test CA", pathLength: Int? = nil) -> CertificateProfile

    public func with(_ change: (inout CertificateProfile) -> Void) -> CertificateProfile
}

public struct ConformanceAnswer : Sendable {

    public var status: Int

    public var fields: OriginFields

    public static func text(_ text: String) -> ConformanceAnswer

    public static func pattern(_ count: Int64, seed: UInt64 = 1) -> ConformanceAnswer
}

public struct ConformanceFailure : Error, Sendable, Hashable, CustomStringConvertible {

    public var rule: String

    public var sentence: String

    public var expected: String

    public var reason: String

    public var wire: [String]

    public init(_ sentence: String, rule: String = "")

    public var description: String { get }
}

extension ConformanceFailure : LocalizedError {

    public var errorDescription: String? { get }
}

public struct ConformanceFailures : Error, Sendable, CustomStringConvertible {

    public let report: ConformanceReport

    public var description: String { get }
}

extension ConformanceFailures : LocalizedError {

    public var errorDescription: String? { get }
}

final public class ConformanceKit : Sendable {

    public let transport: any CurlewCore.Transport

    public let makeTransport: @Sendable () throws -> any CurlewCore.Transport

    public func serve(_ script: @escaping @Sendable (ConformanceRequest) -> ConformanceAnswer) -> ConformancePlace

    public func serve(_ answer: ConformanceAnswer = .text("hello")) -> ConformancePlace

    public func exchange(observer: (any CurlewCore.EventObserver)? = nil, _ change: (inout CurlewCore.ExchangeSettings) -> Void = { _ in }) -> CurlewCore.Exchange

    public func send(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange? = nil) async throws -> CurlewCore.Response

    public func fetch(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange? = nil) async throws -> (head: CurlewCore.ResponseHead, body: Data)

    public func fetch(_ place: ConformancePlace) async throws -> (head: CurlewCore.ResponseHead, body: Data)

    public func expect(_ condition: Bool, _ sentence: @autoclosure () -> String) throws(ConformanceFailure)

    public func expectEqual<Value>(_ found: Value, _ wanted: Value, _ what: @autoclosure () -> String) throws(ConformanceFailure) where Value : Equatable

    @discardableResult
    public func expectError(_ kind: CurlewCore.NetworkError.Kind, _ what: String, _ body: () async throws -> Void) async throws -> CurlewCore.NetworkError
}

public enum ConformanceOutcome : Sendable, Hashable {

    case passed

    case skipped(String)
}

final public class ConformancePlace : Sendable {

    public func url(_ suffix: String = "", host: String? = nil) -> URL

    public func requests(_ count: Int) async throws -> [ConformanceRequest]

    public var requests: [ConformanceRequest] { get }
}

public struct ConformanceRecord : Sendable {

    public init?(_ name: String, in folder: String?)
}

public struct ConformanceReport : Sendable, CustomStringConvertible {

    public internal(set) var passed: [ConformanceRule] { get }

    public internal(set) var skipped: [(rule: ConformanceRule, reason: String)] { get }

    public internal(set) var failures: [ConformanceFailure] { get }

    public var description: String { get }
}

public struct ConformanceRequest : Sendable {

    public let method: String

    public let target: String

    public let fields: OriginFields

    public func content() async -> [UInt8]
}

public struct ConformanceRule : Sendable, Hashable, Identifiable, CustomStringConvertible {

    public let id: String

    public let sentence: String

    public let source: String

    public let reason: String

    public let capabilities: CurlewCore.TransportCapabilities

    public init(_ id: String, _ sentence: String, source: String = "Transport", because reason: String = "", capabilities: CurlewCore.TransportCapabilities = [], needsOwnTransport: Bool = false, check: @escaping @Sendable (ConformanceKit) async throws -> Void)

    public static func == (left: ConformanceRule, right: ConformanceRule) -> Bool

    public func hash(into hasher: inout Hasher)

    public var description: String { get }
}

public struct ConformanceSkip : Error, Sendable, Hashable {

    public var reason: String

    public init(_ reason: String)
}

public struct ConnectionBehaviour : Sendable {

    public enum Acceptance : Sendable {

        case serve

        case close

        case reset

        case stall

        case send([UInt8])
    }

    public var acceptance: ConnectionBehaviour.Acceptance

    public var idling: OriginIdling

    public var handshake: OriginTLS.Handshake?

    public var bytesPerSecond: Int?

    public var requestLimit: Int?

    public init(_ acceptance: ConnectionBehaviour.Acceptance = .serve, idling: OriginIdling = .keep, handshake: OriginTLS.Handshake? = nil, bytesPerSecond: Int? = nil, requestLimit: Int? = nil)
}

final public class FailingFileSystem : CurlewCore.FileSystem {

    public struct Call : Sendable, Hashable {

        public var operation: FileFault.Operation

        public var path: String

        public var code: Int32?
    }

    public init(over files: any CurlewCore.FileSystem)

    public func fail(_ fault: FileFault)

    public func fill(after bytes: Int64)

    public func failRandomly(seed: UInt64, rate: Double, codes: [Int32] = [EIO, ENOSPC])

    public func heal()

    public var calls: [FailingFileSystem.Call] { get }

    public func open(_ path: String, _ options: CurlewCore.FileOpenOptions) throws(CurlewCore.FileSystemError) -> any CurlewCore.OpenFile

    public func status(_ path: String) throws(CurlewCore.FileSystemError) -> CurlewCore.FileStatus?

    public func linkStatus(_ path: String) throws(CurlewCore.FileSystemError) -> CurlewCore.FileStatus?

    public func resolved(_ path: String) throws(CurlewCore.FileSystemError) -> String

    public func rename(_ path: String, to newPath: String, replacing: Bool) throws(CurlewCore.FileSystemError)

    public func remove(_ path: String) throws(CurlewCore.FileSystemError)

    public func createDirectory(_ path: String) throws(CurlewCore.FileSystemError)

    public func list(_ path: String) throws(CurlewCore.FileSystemError) -> [String]

    public func synchronizeDirectory(_ path: String) throws(CurlewCore.FileSystemError)

    public func availableBytes(_ path: String) throws(CurlewCore.FileSystemError) -> Int64
}

final public class FailingTransport : CurlewCore.Transport {

    public enum Fault : Sendable {

        case none

        case beforeSending(any Error)

        case beforeHead(any Error)

        case inBody(after: Int64, any Error)

        case stallBeforeHead

        case stallInBody(after: Int64)
    }

    public init(_ wrapped: any CurlewCore.Transport, choose: @escaping @Sendable (_ index: Int) -> FailingTransport.Fault)

    public convenience init(_ wrapped: any CurlewCore.Transport, script: [FailingTransport.Fault])

    public convenience init(_ wrapped: any CurlewCore.Transport, seed: UInt64, probability: Double, faults: [FailingTransport.Fault])

    public var capabilities: CurlewCore.TransportCapabilities { get }

    public func send(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange) async throws -> CurlewCore.Response

    public func shutdown() async
}

public struct FileFault : Sendable, Hashable {

    public enum Operation : String, Sendable, Hashable, CaseIterable {

        case open

        case status

        case linkStatus

        case resolved

        case rename

        case remove

        case createDirectory

        case list

        case synchronizeDirectory

        case availableBytes

        case read

        case write

        case synchronize

        case truncate

        case preallocate

        case openStatus

        case setPermissions

        case setModified

        case lock

        case close
    }

    public var operation: FileFault.Operation?

    public var pathSuffix: String?

    public var call: Int

    public var lasts: Bool

    public var code: Int32

    public var bytesWritten: Int

    public init(_ operation: FileFault.Operation?, call: Int = 1, code: Int32 = EIO, lasts: Bool = false, pathSuffix: String? = nil, bytesWritten: Int = 0)
}

final public class ManualClock : CurlewCore.NetworkClock {

    public init(date: Date = Date(timeIntervalSince1970: 1_700_000_000))

    public var now: ContinuousClock.Instant { get }

    public var date: Date { get }

    public var sleeperCount: Int { get }

    public var untilNextSleeper: Duration? { get }

    public func advance(by step: Duration)

    @discardableResult
    public func advanceToNextSleeper() -> Bool

    public func setDate(_ date: Date)

    public func waitForSleepers(_ sleepers: Int = 1) async throws

    public func sleep(until deadline: ContinuousClock.Instant) async throws
}

final public class ManualGate : Sendable {

    public init()

    public var isOpen: Bool { get }

    public func open()

    public func wait() async throws

    public func waitForArrivals(_ count: Int = 1) async throws
}

final public class ManualReachability : CurlewCore.ReachabilityMonitoring {

    public init(_ status: CurlewCore.ReachabilityStatus = .unknown)

    public init(path: CurlewCore.NetworkPath)

    public var path: CurlewCore.NetworkPath { get }

    public func changes() -> CurlewCore.NetworkPathChanges

    public func set(_ status: CurlewCore.ReachabilityStatus)

    public func set(path: CurlewCore.NetworkPath)

    public func finish()

    public func waitForReaders(_ count: Int = 1) async throws
}

final public class MemoryFileSystem : CurlewCore.FileSystem {

    public enum CrashOutcome : Sendable, Hashable {

        case losesUnsynced

        case tears(seed: UInt64)
    }

    public init(capacity: Int64 = 64 << 20)

    public func crash(_ outcome: MemoryFileSystem.CrashOutcome = .losesUnsynced)

    public func contents(of path: String) -> [UInt8]?
}

extension MemoryFileSystem {

    public func open(_ path: String, _ options: CurlewCore.FileOpenOptions) throws(CurlewCore.FileSystemError) -> any CurlewCore.OpenFile

    public func status(_ path: String) throws(CurlewCore.FileSystemError) -> CurlewCore.FileStatus?

    public func linkStatus(_ path: String) throws(CurlewCore.FileSystemError) -> CurlewCore.FileStatus?

    public func resolved(_ path: String) throws(CurlewCore.FileSystemError) -> String

    public func rename(_ path: String, to newPath: String, replacing: Bool) throws(CurlewCore.FileSystemError)

    public func remove(_ path: String) throws(CurlewCore.FileSystemError)

    public func createDirectory(_ path: String) throws(CurlewCore.FileSystemError)

    public func list(_ path: String) throws(CurlewCore.FileSystemError) -> [String]

    public func synchronizeDirectory(_ path: String) throws(CurlewCore.FileSystemError)

    public func availableBytes(_ path: String) throws(CurlewCore.FileSystemError) -> Int64
}

public enum OriginAddress : Sendable, Hashable {

    case ipv4

    case ipv6

    case unix(String)
}

public struct OriginCounters : Sendable, Hashable {

    public var connectionsAccepted: Int

    public var connectionsOpen: Int

    public var connectionsPeak: Int

    public var handshakes: Int

    public var requests: Int

    public var bytesSent: Int64

    public var bytesReceived: Int64
}

final public class OriginEndpoint {

    public static func start(tls identity: TestIdentity? = nil) async throws -> OriginEndpoint

    public func stop() async
}

public struct OriginError : Error, Sendable, CustomStringConvertible {

    public let operation: String

    public let reason: String

    public var description: String { get }
}

extension OriginError : LocalizedError {

    public var errorDescription: String? { get }
}

public struct OriginFields : Sendable, Hashable, ExpressibleByDictionaryLiteral {

    public struct Line : Sendable, Hashable {

        public var name: String

        public var value: String

        public init(_ name: String, _ value: String)
    }

    public var lines: [OriginFields.Line]

    public init(_ lines: [OriginFields.Line] = [])

    public init(dictionaryLiteral elements: (String, String)...)

    public init(_ fields: HTTPTypes.HTTPFields)

    public subscript(name: String) -> String?

    public subscript(values name: String) -> [String] { get }

    public mutating func append(_ name: String, _ value: String)

    public func merging(_ others: OriginFields) -> OriginFields
}

final public class OriginGate : Sendable {

    public init()

    public func open()

    public var arrivals: Int { get }

    public func reached(by count: Int = 1) async
}

public struct OriginIdling : Sendable {

    public static var keep: OriginIdling { get }

    public static func close(after range: ClosedRange<Duration>) -> OriginIdling

    public static var closeOnNextRequest: OriginIdling { get }
}

public struct OriginOptions : Sendable {

    public var addresses: [OriginAddress]

    public var tls: OriginTLS?

    public var bodyBytesKept: Int

    public var requestsKept: Int

    public var sendBuffer: Int32?

    public var connection: @Sendable (Int) -> ConnectionBehaviour

    public init()

    public static func with(_ change: (inout OriginOptions) -> Void) -> OriginOptions
}

public struct OriginReply : Sendable {

    public var steps: [OriginStep]

    public init(_ steps: OriginStep...)

    public init(_ steps: [OriginStep])

    public func closing() -> OriginReply

    public func then(_ more: OriginStep...) -> OriginReply

    public func after(_ first: OriginStep...) -> OriginReply

    public func pausing(at gate: OriginGate) -> OriginReply

    public func delayed(by duration: Duration) -> OriginReply

    public func throttled(to bytesPerSecond: Int) -> OriginReply

    public func idling(_ idling: OriginIdling) -> OriginReply

    public func cut(after bytes: Int64, by ending: OriginStep = .cut) -> OriginReply

    public func beforeUpload() -> OriginReply
}

extension OriginReply {

    public static func cut(after sent: Int64, of total: Int64) -> OriginReply

    public static func reset(after sent: Int64, of total: Int64) -> OriginReply

    public static func stall(after sent: Int64, of total: Int64) -> OriginReply

    public static var silence: OriginReply { get }

    public static var hangUp: OriginReply { get }

    public static func drip(_ text: String, size: Int = 1, every pause: Duration) -> OriginReply
}

extension OriginReply {

    public static func lengths(_ lengths: String..., body: String, _ fields: OriginFields = [:]) -> OriginReply
}

extension OriginReply {

    public static func ok(_ text: String = "", type: String = "text/plain; charset=utf-8", _ fields: OriginFields = [:]) -> OriginReply

    public static func ok(_ bytes: [UInt8], type: String = "application/octet-stream", _ fields: OriginFields = [:]) -> OriginReply

    public static func json(_ text: String, status: Int = 200, _ fields: OriginFields = [:]) -> OriginReply

    public static func status(_ status: Int, _ text: String = "", type: String = "text/plain; charset=utf-8", _ fields: OriginFields = [:]) -> OriginReply

    public static func status(_ status: Int, _ bytes: [UInt8], type: String, _ fields: OriginFields = [:]) -> OriginReply

    public static func ok(_ pattern: BytePattern, count: Int64, _ fields: OriginFields = [:]) -> OriginReply

    public static func chunked(_ parts: [String], _ fields: OriginFields = [:], trailers: OriginFields = [:]) -> OriginReply

    public static func chunked(_ pattern: BytePattern, count: Int64, chunkSize: Int = 16_384, trailers: OriginFields = [:]) -> OriginReply

    public static func redirect(_ status: Int = 302, to location: String) -> OriginReply

    public static func status(_ status: Int, _ fields: OriginFields) -> OriginReply

    public static func replay(_ bytes: [UInt8]) -> OriginReply
}

public struct OriginRequest : Sendable {

    public let connection: Int

    public let index: Int

    public let tls: OriginTLSSession?

    public var isOnReusedConnection: Bool { get }

    public var lines: [String] { get }

    public var method: String { get }

    public var target: String { get }

    public var path: String { get }

    public var query: String? { get }

    public var fields: OriginFields { get }

    public subscript(name: String) -> String? { get }

    public func body() async -> [UInt8]

    public var received: [UInt8] { get }

    public var text: String { get }

    public var bodyLength: Int64 { get }

    public var isComplete: Bool { get }

    public var trailers: OriginFields { get }
}

public struct OriginRouter : Sendable {

    public init()

    public mutating func on(_ path: String, _ handler: @escaping ScriptedOrigin.Handler)

    public mutating func on(_ method: String, _ path: String, _ handler: @escaping ScriptedOrigin.Handler)
}

public struct OriginStep : Sendable {
}

extension OriginStep {

    public static func raw(_ bytes: [UInt8]) -> OriginStep

    public static func raw(_ text: String) -> OriginStep

    public static func head(_ status: Int, reason: String? = nil, _ fields: OriginFields = [:]) -> OriginStep

    public static func interim(_ status: Int, _ fields: OriginFields = [:]) -> OriginStep

    public static func body(_ bytes: [UInt8]) -> OriginStep

    public static func body(_ text: String) -> OriginStep

    public static func fill(_ pattern: BytePattern, from offset: Int64 = 0, count: Int64) -> OriginStep

    public static func chunk(_ bytes: [UInt8]) -> OriginStep

    public static func chunk(_ text: String) -> OriginStep

    public static func trailers(_ fields: OriginFields = [:]) -> OriginStep

    public static var echo: OriginStep { get }
}

extension OriginStep {

    public static func wait(_ duration: Duration) -> OriginStep

    public static func wait(for gate: OriginGate) -> OriginStep

    public static var stall: OriginStep { get }

    public static func perform(_ code: @escaping @Sendable () async -> [OriginStep]) -> OriginStep
}

extension OriginStep {

    public static func readUpload(upTo count: Int64? = nil) -> OriginStep
}

extension OriginStep {

    public static var close: OriginStep { get }

    public static var cut: OriginStep { get }

    public static var reset: OriginStep { get }

    public static func idle(_ idling: OriginIdling) -> OriginStep
}

extension OriginStep {

    public static func converse(_ code: @escaping @Sendable (CurlewCore.DuplexConnection) async -> Void) -> OriginStep

    public static func acceptWebSocket(_ request: OriginRequest, _ fields: OriginFields = [:]) -> OriginStep
}

public struct OriginTLS : Sendable {

    public enum Version : Int32, Sendable, Hashable, Comparable {

        case tls10

        case tls11

        case tls12

        case tls13

        public static func < (left: OriginTLS.Version, right: OriginTLS.Version) -> Bool
    }

    public enum ClientCertificates : Sendable, Hashable {

        case ignored

        case optional

        case required

        case issued(by: [TestCertificate])
    }

    public enum Handshake : Sendable, Hashable {

        case prompt

        case delayed(Duration)

        case slow(bytesPerSecond: Int)

        case cut(afterBytes: Int)

        case stalled
    }

    public var identity: TestIdentity

    public var versions: ClosedRange<OriginTLS.Version>

    public var clientCertificates: OriginTLS.ClientCertificates

    public var handshake: OriginTLS.Handshake

    public init(_ identity: TestIdentity)

    public func with(_ change: (inout OriginTLS) -> Void) -> OriginTLS
}

public struct OriginTLSSession : Sendable, Hashable {

    public var version: String

    public var serverName: String?

    public var clientCertificate: [UInt8]?
}

final public class RecordingObserver : CurlewCore.EventObserver {

    public let wantsSecrets: Bool

    public init(wantsSecrets: Bool = false)

    public var events: [CurlewCore.ExchangeEvent] { get }

    public var kinds: [CurlewCore.ExchangeEvent.Kind] { get }

    public var names: [String] { get }

    public var outcomes: [CurlewCore.ExchangeEvent.Outcome] { get }

    public func observe(_ event: CurlewCore.ExchangeEvent)

    public func removeAll()

    public func first(where accepts: (CurlewCore.ExchangeEvent) -> Bool) async throws -> CurlewCore.ExchangeEvent

    public func waitForFinished(_ count: Int = 1) async throws
}

final public class RecordingTransport : CurlewCore.Transport {

    public struct Record : Sendable {

        public var request: CurlewCore.Request

        public var exchange: CurlewCore.Exchange.ID

        public var attempt: Int

        public var hop: Int

        public var outcome: RecordingTransport.Outcome
    }

    public enum Outcome : Sendable {

        case pending

        case responded(CurlewCore.ResponseHead, bytes: Int64)

        case ended(CurlewCore.ResponseHead, bytes: Int64)

        case failed(any Error)

        case dropped(CurlewCore.ResponseHead, bytes: Int64)
    }

    public init(_ wrapped: any CurlewCore.Transport)

    public var capabilities: CurlewCore.TransportCapabilities { get }

    public var records: [RecordingTransport.Record] { get }

    public var requests: [CurlewCore.Request] { get }

    public func waitForRequests(_ count: Int = 1) async throws

    public func send(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange) async throws -> CurlewCore.Response

    public func shutdown() async
}

final public class RecordingTrustEvaluator : CurlewCore.ServerTrustEvaluating {

    public let connectionKey: CurlewCore.ConnectionKey

    public let requirements: CurlewCore.HandshakeRequirements

    public init(key: String = "recording", requirements: CurlewCore.HandshakeRequirements = HandshakeRequirements(), verdict: @escaping @Sendable (CurlewCore.ServerTrust) throws(CurlewCore.ServerTrustError) -> Void = { _ in })

    public var evaluated: [CurlewCore.ServerTrust] { get }

    public func evaluate(_ trust: CurlewCore.ServerTrust) throws(CurlewCore.ServerTrustError)
}

public struct RequestSerializerConformance<Serializer> : Sendable where Serializer : CurlewSerialization.RequestSerializer {

    public static var rules: [SerializerRule] { get }

    public init(_ serializer: Serializer, type: CurlewCore.MediaType, samples: [CurlewSerialization.Parameters], unrepresentable: [CurlewSerialization.Parameters] = [], excluding exclusions: [SerializerRule.ID : String] = [:])

    public func run() throws
}

final public class ScriptedOrigin : Sendable {

    public typealias Handler = @Sendable (OriginRequest) async -> OriginReply

    public let port: Int

    public let isSecure: Bool

    public static func start(_ options: OriginOptions = OriginOptions(), handler: @escaping ScriptedOrigin.Handler) async throws(OriginError) -> ScriptedOrigin

    public static func start(tls: OriginTLS, handler: @escaping ScriptedOrigin.Handler) async throws(OriginError) -> ScriptedOrigin

    deinit

    public func stop() async

    public func url(_ path: String = "/", host: String? = nil) -> URL

    public func address(_ path: String = "/", host: String? = nil) -> String

    public var requests: [OriginRequest] { get }

    public var counters: OriginCounters { get }

    public func forgetRequests()

    @discardableResult
    public func until(_ condition: @escaping @Sendable (OriginCounters) -> Bool) async -> Bool
}

extension ScriptedOrigin {

    public static func start(_ options: OriginOptions = OriginOptions(), script: [OriginReply]) async throws(OriginError) -> ScriptedOrigin

    public static func start(_ options: OriginOptions = OriginOptions(), routes: OriginRouter) async throws(OriginError) -> ScriptedOrigin
}

public struct SeededRandom : RandomNumberGenerator, Sendable {

    public init(seed: UInt64)

    public mutating func next() -> UInt64
}

public struct SeededResource : Sendable, Hashable {

    public var length: Int64

    public var seed: UInt64

    public var entityTag: String?

    public var lastModified: String?

    public var mediaType: String

    public var servesRanges: Bool

    public var fields: OriginFields

    public init(length: Int64, seed: UInt64 = 0)

    public func with(_ change: (inout SeededResource) -> Void) -> SeededResource

    public var pattern: BytePattern { get }

    public func bytes(from offset: Int64 = 0, count: Int) -> [UInt8]

    public func reply(to request: OriginRequest) -> OriginReply
}

public struct SerializerConformance<Serializer> : Sendable where Serializer : CurlewSerialization.ResponseSerializer {

    public static var rules: [SerializerRule] { get }

    public init(_ serializer: Serializer, type: CurlewCore.MediaType, samples: [Data], malformed: [Data], excluding exclusions: [SerializerRule.ID : String] = [:])

    public func run() throws
}

public struct SerializerRule : Sendable, Hashable, Identifiable, CustomStringConvertible {

    public let id: String

    public let sentence: String

    public let source: String

    public let reason: String

    public var description: String { get }
}

public struct StubAnswer : Sendable {

    public enum Step : Sendable {

        case bytes(Data)

        case repeated(Data, count: Int)

        case made(@Sendable () async throws -> Data)

        case wait(@Sendable () async throws -> Void)

        case failure(any Error)

        case stall
    }

    public var informational: [HTTPTypes.HTTPResponse]

    public var status: HTTPTypes.HTTPResponse.Status

    public var version: CurlewCore.ResponseHead.Version

    public var headerFields: HTTPTypes.HTTPFields

    public var body: [StubAnswer.Step]

    public var trailers: HTTPTypes.HTTPFields?

    public var announcesLength: Bool

    public var connectionReused: Bool

    public var failure: (any Error)?

    public init(_ status: HTTPTypes.HTTPResponse.Status = .ok, headerFields: HTTPTypes.HTTPFields = [:], body: [StubAnswer.Step] = [], trailers: HTTPTypes.HTTPFields? = nil, version: CurlewCore.ResponseHead.Version = .http11, informational: [HTTPTypes.HTTPResponse] = [])

    public static func text(_ text: String, status: HTTPTypes.HTTPResponse.Status = .ok) -> StubAnswer

    public static func json(_ text: String, status: HTTPTypes.HTTPResponse.Status = .ok, type: String = "application/json") -> StubAnswer

    public static func json(_ value: some Encodable, status: HTTPTypes.HTTPResponse.Status = .ok, type: String = "application/json") throws -> StubAnswer

    public static func bytes(_ bytes: Data, chunkSize: Int = 16_384, status: HTTPTypes.HTTPResponse.Status = .ok, headerFields: HTTPTypes.HTTPFields = [:]) -> StubAnswer

    public static func failing(_ error: any Error) -> StubAnswer
}

final public class StubEndpoint {

    public init()

    public func makeTransport() -> any CurlewCore.Transport
}

final public class StubTransport : CurlewCore.Transport {

    public struct Asked : Sendable {

        public var request: CurlewCore.Request

        public var body: Data

        public var exchange: CurlewCore.Exchange

        public var index: Int
    }

    public let capabilities: CurlewCore.TransportCapabilities

    public static let defaultCapabilities: CurlewCore.TransportCapabilities

    public init(capabilities: CurlewCore.TransportCapabilities = StubTransport.defaultCapabilities, bodyLimit: Int = 64 << 20, answer: @escaping @Sendable (StubTransport.Asked) async throws -> StubAnswer)

    public init(capabilities: CurlewCore.TransportCapabilities = StubTransport.defaultCapabilities.union(.duplex), conversing converse: @escaping @Sendable (StubTransport.Asked, CurlewCore.DuplexConnection) async -> Void)

    public convenience init(_ answer: StubAnswer, capabilities: CurlewCore.TransportCapabilities = StubTransport.defaultCapabilities)

    public convenience init(script: [StubAnswer], capabilities: CurlewCore.TransportCapabilities = StubTransport.defaultCapabilities)

    public var inFlightCount: Int { get }

    public var requestCount: Int { get }

    public func send(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange) async throws -> CurlewCore.Response

    public func shutdown() async
}

extension StubTransport : CurlewCore.DuplexTransport {

    nonisolated(nonsending) public func connect(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange) async throws -> CurlewCore.DuplexConnection
}

extension StubTransport {

    public convenience init<Asked>(answering endpoint: Asked, with value: Asked.Output, as coding: some CurlewSerialization.ValueCoding, status: HTTPTypes.HTTPResponse.Status = .ok) where Asked : CurlewSession.Endpoint, Asked.Output : Encodable
}

public struct TestCertificate : Sendable, Hashable {

    public let der: [UInt8]

    public var pem: String { get }

    public var pin: String? { get }
}

public struct TestIdentity : Sendable {

    public var certificate: TestCertificate

    public var root: TestCertificate

    public static func selfSigned(_ profile: CertificateProfile = .server, key: TestKey? = nil) throws(CertificateError) -> TestIdentity

    public static func authority(_ profile: CertificateProfile = .authority()) throws(CertificateError) -> TestIdentity

    public func issue(_ profile: CertificateProfile = .server, key: TestKey? = nil) throws(CertificateError) -> TestIdentity

    public var chain: [TestCertificate] { get }

    public func pkcs12(password: String) throws(CertificateError) -> [UInt8]
}

extension TestIdentity {

    public struct Files : Sendable, Hashable {

        public let folder: String

        public var chain: String { get }

        public var key: String { get }

        public var root: String { get }

        public func remove()
    }

    public func writeFiles() throws(OriginError) -> TestIdentity.Files
}

public struct TestKey : Sendable, Hashable {
}

public struct TransportConformance : Sendable {

    public init(endpoint: OriginEndpoint, excluding exclusions: [ConformanceRule.ID : String] = [:], timeLimit: Duration = .seconds(90), recording record: ConformanceRecord? = nil)

    public init(endpoint: StubEndpoint, excluding exclusions: [ConformanceRule.ID : String] = [:], timeLimit: Duration = .seconds(90), recording record: ConformanceRecord? = nil)

    public static let rules: [ConformanceRule]

    public static let topics: [(name: String, rules: [ConformanceRule])]

    @discardableResult
    public func run(_ rules: [ConformanceRule] = TransportConformance.rules, making make: @escaping @Sendable () throws -> any CurlewCore.Transport) async throws -> ConformanceReport

    @discardableResult
    public func run(on transport: any CurlewCore.Transport) async throws -> ConformanceReport

    public func check(_ rule: ConformanceRule, on make: @escaping @Sendable () throws -> any CurlewCore.Transport) async throws -> ConformanceOutcome
}

extension DuplexConnection {

    public static func pair() -> (CurlewCore.DuplexConnection, CurlewCore.DuplexConnection)
}
