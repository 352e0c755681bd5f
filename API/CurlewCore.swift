// swift-format-ignore-file
// The public interface of CurlewCore, written by `swift package api-text`.

import CLinux
import FoundationEssentials
import Glibc
import HTTPTypes
import Synchronization

public struct AddressFamilies : OptionSet, Sendable, Hashable {

    public let rawValue: UInt8

    public init(rawValue: UInt8)

    public static let ipv4: AddressFamilies

    public static let ipv6: AddressFamilies
}

public struct AddressOverride : Sendable, Hashable, Codable {

    public var host: String?

    public var port: Int?

    public var address: String

    public var addressPort: Int?

    public init(host: String? = nil, port: Int? = nil, address: String, addressPort: Int? = nil)

    public func matches(_ origin: Origin) -> Bool
}

public struct AllowedNetworks : OptionSet, Sendable, Hashable, Codable {

    public let rawValue: UInt8

    public init(rawValue: UInt8)

    public static let unmetered: AllowedNetworks

    public static let cellular: AllowedNetworks

    public static let expensive: AllowedNetworks

    public static let all: AllowedNetworks
}

final public class AsyncBodyChunks<Chunks> : BodyChunks, @unchecked Sendable where Chunks : Sendable, Chunks : AsyncSequence, Chunks.Element == Data {

    public init(_ chunks: Chunks)

    public func next() async throws -> Data?
}

public struct AuthenticationChallengeField : Sendable, Hashable {

    public static let maximumChallenges: Int

    public static let maximumParameters: Int

    public let scheme: String

    public let token68: String?

    public let parameters: [FieldParameter]

    public init(scheme: String, token68: String? = nil, parameters: [FieldParameter] = [])

    public func hasScheme(_ name: String) -> Bool

    public subscript(parameter: String) -> String? { get }

    public var realm: String? { get }

    public static func parse(_ value: String) throws(FieldError) -> [AuthenticationChallengeField]

    public static func all(in fields: HTTPTypes.HTTPFields, _ name: HTTPTypes.HTTPField.Name) -> [AuthenticationChallengeField]
}

extension AuthenticationChallengeField : CustomReflectable {

    public var customMirror: Mirror { get }
}

public struct AuthenticationInfoField : Sendable, Hashable {

    public let parameters: [FieldParameter]

    public init(_ value: String) throws(FieldError)

    public subscript(parameter: String) -> String? { get }
}

extension AuthenticationInfoField : CustomReflectable {

    public var customMirror: Mirror { get }
}

public struct AuthorizationField : Sendable, Hashable {

    public struct Parameter : Sendable, Hashable {

        public var name: String

        public var value: String

        public var isQuoted: Bool

        public init(_ name: String, _ value: String, isQuoted: Bool = true)
    }

    public let scheme: String

    public let fieldValue: String

    public init(scheme: String, credentials: String) throws(FieldError)

    public init(scheme: String, parameters: [AuthorizationField.Parameter]) throws(FieldError)
}

extension AuthorizationField : CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {

    public var description: String { get }

    public var debugDescription: String { get }

    public var customMirror: Mirror { get }
}

public struct Body : Sendable {

    public enum Source : Sendable {

        case empty

        case bytes(Data)

        case file(Body.FileRegion)

        case stream(Body.Stream)
    }

    public struct FileRegion : Sendable, Hashable {

        public var path: String

        public var offset: Int64

        public var length: Int64

        public var fileLength: Int64
    }

    public struct Stream : Sendable {

        public var length: Int64?

        public var replayable: Bool

        public var make: @Sendable () async throws -> any BodyChunks
    }

    public let source: Body.Source

    public static var empty: Body { get }

    public static func bytes(_ data: Data) -> Body

    public static func text(_ text: String) -> Body

    public static func file(_ url: URL, range: Range<Int64>? = nil) throws(NetworkError) -> Body

    public static func file(_ path: String, range: Range<Int64>? = nil) throws(NetworkError) -> Body

    public static func stream(length: Int64? = nil, replayable: Bool, make: @escaping @Sendable () async throws -> any BodyChunks) -> Body

    public static func stream<Chunks>(_ chunks: Chunks, length: Int64? = nil) -> Body where Chunks : Sendable, Chunks : AsyncSequence, Chunks.Element == Data

    public var length: Int64? { get }

    public var isReplayable: Bool { get }

    public var isEmpty: Bool { get }
}

extension Body : Codable {

    public static let archivedBytesLimit: Int

    public init(from decoder: any Decoder) throws

    public func encode(to encoder: any Encoder) throws
}

extension Body : CustomReflectable {

    public var customMirror: Mirror { get }
}

extension Body.Source : CustomReflectable {

    public var customMirror: Mirror { get }
}

final public class BodyChannel : Sendable {

    public enum Demand : Sendable, Hashable {

        case more

        case pause

        case gone
    }

    public init(pausingFrom bytes: Int)

    public init(holdingUpTo bytes: Int)

    public func connect(_ producer: any BodyProducer)

    public var head: ResponseHead? { get }

    public var isCancelled: Bool { get }

    public var isFull: Bool { get }

    public var longestSinkCall: Duration { get }

    public func respond(_ head: ResponseHead)

    @discardableResult
    public func put(_ bytes: UnsafeRawBufferPointer) -> BodyChannel.Demand

    @discardableResult
    public func put(_ bytes: Data) -> BodyChannel.Demand

    public func finish(_ error: (any Error)? = nil, trailers: HTTPTypes.HTTPFields? = nil, discardingBuffer discards: Bool = false)

    nonisolated(nonsending) public func response() async throws -> Response
}

public protocol BodyChunks : AnyObject, Sendable {

    func next() async throws -> Data?
}

public protocol BodyProducer : AnyObject, Sendable {

    func resumeProducing()

    func stopProducing()
}

public protocol BodySink : AnyObject, Sendable {

    func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand

    func receive(chunk: Data) throws -> SinkDemand

    func ready() async throws
}

extension BodySink {

    public func ready() async throws

    public func receive(chunk: Data) throws -> SinkDemand
}

public protocol BodyTap : AnyObject, Sendable {

    func receive(_ bytes: UnsafeRawBufferPointer)

    func ended(by error: (any Error)?) async throws

    func cancelled()

    func rejected() async
}

extension BodyTap {

    public func receive(_ bytes: UnsafeRawBufferPointer)

    public func ended(by error: (any Error)?) async throws

    public func cancelled()

    public func rejected() async
}

public struct ByteRange : Sendable, Hashable, CustomStringConvertible {

    public enum Form : Sendable, Hashable {

        case bounded(first: Int64, last: Int64)

        case from(Int64)

        case suffix(Int64)
    }

    public let form: ByteRange.Form

    public init?(first: Int64, last: Int64)

    public init?(from first: Int64)

    public init?(suffix length: Int64)

    public init?(_ range: Range<Int64>)

    public func resolved(length: Int64) -> Range<Int64>?

    public var description: String { get }
}

public struct ByteReporter : Sendable {

    public init()

    public mutating func isDue(at now: ContinuousClock.Instant) -> Bool

    public mutating func isNews(_ count: Int64) -> Bool
}

public enum CacheAnswer : Sendable {

    case store

    case change(ResponseHead)

    case refuse
}

public struct CacheControl : Sendable, Hashable {

    public static let maximumDirectives: Int

    public enum Reach : Sendable, Hashable {

        case response

        case fields([HTTPTypes.HTTPField.Name])
    }

    public enum Staleness : Sendable, Hashable {

        case any

        case seconds(Int64)
    }

    public var maxAge: Int64?

    public var sharedMaxAge: Int64?

    public var maxStale: CacheControl.Staleness?

    public var minFresh: Int64?

    public var staleWhileRevalidate: Int64?

    public var staleIfError: Int64?

    public var noCache: CacheControl.Reach?

    public var onlyPrivate: CacheControl.Reach?

    public var noStore: Bool

    public var noTransform: Bool

    public var onlyIfCached: Bool

    public var mustRevalidate: Bool

    public var proxyRevalidate: Bool

    public var mustUnderstand: Bool

    public var isPublic: Bool

    public var immutable: Bool

    public var extensions: [FieldParameter]

    public init()

    public init(of fields: HTTPTypes.HTTPFields)
}

extension CacheControl : CustomStringConvertible {

    public var description: String { get }
}

extension CacheControl {

    public init(_ value: String)
}

public enum CachePolicy : String, Sendable, Hashable, CaseIterable, Codable {

    case protocolDefined

    case reload

    case noStore

    case revalidate

    case returnStoredElseLoad

    case returnStoredDontLoad
}

public struct CallbackExecutor : Sendable {

    public init(_ enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void)

    public static func serial() -> CallbackExecutor

    public static func mainActor() -> CallbackExecutor

    public static func isolated(to actor: any Actor) -> CallbackExecutor

    public func run(_ work: @escaping @Sendable () -> Void)
}

public struct Challenge : Sendable, Hashable {

    public var protectionSpace: ProtectionSpace

    public var parameters: [FieldParameter]

    public var previousFailureCount: Int

    public var proposedCredential: Credential?

    public var response: ResponseHead?

    public var serverTrust: ServerTrustError?

    public init(protectionSpace: ProtectionSpace, parameters: [FieldParameter] = [], previousFailureCount: Int = 0, proposedCredential: Credential? = nil, response: ResponseHead? = nil, serverTrust: ServerTrustError? = nil)
}

extension Challenge : CustomReflectable {

    public var customMirror: Mirror { get }
}

public enum ChallengeAnswer : Sendable {

    case defaultHandling

    case use(Credential)

    case cancel(any Error)

    case reject
}

public struct Charset : Sendable, Hashable, CustomStringConvertible {

    public static let maximumLength: Int

    public let name: String

    public init?(label: String)

    public var description: String { get }

    public static let utf8: Charset

    public static let usASCII: Charset

    public static let iso88591: Charset

    public static let windows1252: Charset

    public static let utf16: Charset

    public static let utf16LittleEndian: Charset

    public static let utf16BigEndian: Charset

    public static let utf32: Charset

    public static let utf32LittleEndian: Charset

    public static let utf32BigEndian: Charset
}

public struct ClientIdentity : Sendable, Hashable, CustomStringConvertible, CustomReflectable {

    public var certificateChain: Data

    public var privateKey: Data

    public init(certificateChain: Data, privateKey: Data)

    public var description: String { get }

    public var customMirror: Mirror { get }
}

public struct ConnectionKey : Sendable, Hashable, CustomStringConvertible {

    public let text: String

    public init(_ text: String)

    public var description: String { get }
}

public struct ContentCoding : RawRepresentable, Sendable, Hashable, CustomStringConvertible {

    public let rawValue: String

    public init(rawValue: String)

    public static let gzip: ContentCoding

    public static let deflate: ContentCoding

    public static let brotli: ContentCoding

    public static let zstd: ContentCoding

    public var description: String { get }

    public static func applied(in fields: HTTPTypes.HTTPFields) -> [ContentCoding]
}

public struct ContentDisposition : Sendable, Hashable {

    public static let maximumParameters: Int

    public enum Dialect : Sendable, Hashable {

        case header

        case plain

        case formData
    }

    public enum Fallback : Sendable, Hashable {

        case automatic

        case none

        case text(String)
    }

    public var type: String

    public var parameters: [FieldParameter]

    public init(type: String, parameters: [FieldParameter])

    public init(type: String = "attachment", filename: String?, fallback: ContentDisposition.Fallback = .automatic) throws(FieldError)

    public var filename: String? { get }

    public var name: String? { get }

    public var isInline: Bool { get }
}

extension ContentDisposition {

    public init?(of fields: HTTPTypes.HTTPFields)

    public init(_ text: String, dialect: ContentDisposition.Dialect = .header)
}

extension ContentDisposition {

    public func fieldValue(_ dialect: ContentDisposition.Dialect = .header) throws(FieldError) -> String
}

public struct ContentLength : Sendable, Hashable, CustomStringConvertible {

    public let value: Int64

    public init?(_ value: Int64)

    public init(_ text: String) throws(FieldError)

    public init?(of fields: HTTPTypes.HTTPFields) throws(FieldError)

    public var description: String { get }
}

public struct ContentRange : Sendable, Hashable, CustomStringConvertible {

    public let range: Range<Int64>?

    public let total: Int64?

    public init?(_ range: Range<Int64>, total: Int64?)

    public init?(unsatisfiedTotal total: Int64)

    public init(_ value: String) throws(FieldError)

    public var description: String { get }
}

public enum Credential : Sendable, Hashable, CustomStringConvertible, CustomReflectable {

    case password(user: String, password: String)

    case bearer(token: String)

    case identity(ClientIdentity)

    case serverTrust(ServerTrust)

    public var description: String { get }

    public var customMirror: Mirror { get }
}

final public class DuplexChannel : Sendable {

    public init(pausingFrom bytes: Int = 64 * 1024)

    public func connect(_ driver: any DuplexDriver)

    @discardableResult
    public func put(_ bytes: UnsafeRawBufferPointer) -> BodyChannel.Demand

    public func endReceiving()

    public enum Sending : Sendable, Hashable {

        case bytes(Data)

        case wait

        case close
    }

    public func nextToSend() -> DuplexChannel.Sending

    public func sent(_ count: Int)

    public var isCancelled: Bool { get }

    public func finish(_ error: (any Error)?)
}

final public class DuplexConnection : Sendable {

    public let metrics: ExchangeMetrics

    public init(_ channel: DuplexChannel, metrics: ExchangeMetrics = ExchangeMetrics())

    deinit

    nonisolated(nonsending) public func receive() async throws -> Data?

    public func deliver(to received: @escaping @Sendable (Data) -> BodyChannel.Demand, ended: @escaping @Sendable ((any Error)?) -> Void)

    public func resume()

    nonisolated(nonsending) public func send(_ bytes: Data) async throws

    public func write(_ bytes: Data) throws

    nonisolated(nonsending) public func writable() async throws

    public var unsentBytes: Int { get }

    public func close()

    public func cancel()
}

public protocol DuplexDriver : AnyObject, Sendable {

    func resumeReceiving()

    func resumeSending()

    func stop()
}

public protocol DuplexTransport : Transport {

    nonisolated(nonsending) func connect(_ request: Request, in exchange: Exchange) async throws -> DuplexConnection
}

public struct EntityTag : Sendable, Hashable, CustomStringConvertible {

    public let isWeak: Bool

    public let opaque: String

    public init?(_ opaque: String, isWeak: Bool)

    public init?(_ text: String)

    public func matchesStrongly(_ other: EntityTag) -> Bool

    public func matchesWeakly(_ other: EntityTag) -> Bool

    public var description: String { get }
}

public protocol EventObserver : Sendable {

    func observe(_ event: ExchangeEvent)

    var wantsSecrets: Bool { get }
}

extension EventObserver {

    public var wantsSecrets: Bool { get }
}

final public class EventOutbox : Sendable {

    public init(_ exchange: Exchange)

    public func tell(_ kind: @autoclosure () -> ExchangeEvent.Kind, isLast: Bool = false)
}

final public class Exchange : Sendable {

    public struct ID : Sendable, Hashable, CustomStringConvertible {

        public let number: UInt64

        public var description: String { get }
    }

    public let id: Exchange.ID

    public let attempt: Int

    public let hop: Int

    public let requiresFreshConnection: Bool

    public var settings: ExchangeSettings { get }

    public convenience init(_ settings: ExchangeSettings = ExchangeSettings())

    public func derived(attempt: Int? = nil, hop: Int? = nil, freshConnection: Bool = false, _ change: (inout ExchangeSettings) -> Void = { _ in }) -> Exchange

    public func nextHop(_ change: (inout ExchangeSettings) -> Void = { _ in }) -> Exchange

    public var pause: PauseSignal? { get }

    public var isObserved: Bool { get }

    public func emit(_ kind: @autoclosure () -> ExchangeEvent.Kind)

    public func record(_ metrics: ExchangeMetrics)

    public var metrics: [ExchangeMetrics] { get }
}

extension Exchange {

    public subscript<Key>(key: Key.Type) -> Key.Value? where Key : UserInfoKey { get }
}

public struct ExchangeEvent : Sendable {

    public var exchange: Exchange.ID

    public var attempt: Int

    public var hop: Int

    public var instant: ContinuousClock.Instant

    public var kind: ExchangeEvent.Kind

    indirect public enum Kind : Sendable {

        case started(Request)

        case sending(Request)

        case secured(version: String, cipherSuite: String, applicationProtocol: String?)

        case connected(reused: Bool)

        case informational(ResponseHead)

        case sent(bytes: Int64, expected: Int64?)

        case responded(ResponseHead)

        case received(bytes: Int64, expected: Int64?)

        case redirecting(to: Request, response: ResponseHead)

        case challenged(Challenge)

        case resending(after: NetworkError)

        case retrying(attempt: Int, after: Duration, error: (any Error)?)

        case paused

        case resumed

        case measured(ExchangeMetrics)

        case finished(ExchangeEvent.Outcome, metrics: [ExchangeMetrics])
    }

    public enum Outcome : Sendable {

        case success

        case failure(any Error)

        case cancelled
    }
}

extension ExchangeEvent {

    public func redacted(by redaction: Redaction) -> ExchangeEvent
}

public struct ExchangeHooks : Sendable {

    public var redirect: (@Sendable (_ proposed: Request, _ response: ResponseHead?) async throws -> Request?)?

    public var canAnswer: (@Sendable (ProtectionSpace) async -> Bool)?

    public var mayUseStoredCredentials: (@Sendable (ProtectionSpace) async -> Bool)?

    public var challenge: (@Sendable (Challenge) async -> ChallengeAnswer)?

    public var newBody: (@Sendable (Request) async throws -> Body?)?

    public var storeInCache: (@Sendable (_ response: ResponseHead) async -> CacheAnswer)?

    public init()
}

extension ExchangeHooks {

    public var names: HookNames { get }
}

public struct ExchangeMetrics : Sendable, Hashable {

    public var attempt: Int

    public var hop: Int

    public var phases: ExchangeMetrics.Phases

    public var version: ResponseHead.Version?

    public var tlsVersion: String?

    public var connectionReused: Bool?

    public var localAddress: String?

    public var remoteAddress: String?

    public var bytesSent: Int64

    public var bytesReceived: Int64

    public var bytesDelivered: Int64

    public var headerBytesReceived: Int64

    public var longestCallback: Duration

    public struct Phases : Sendable, Hashable {

        public var queue: Duration?

        public var lookup: Duration?

        public var connect: Duration?

        public var tls: Duration?

        public var firstByte: Duration?

        public var transfer: Duration?

        public var total: Duration?

        public init()
    }

    public init(attempt: Int = 1, hop: Int = 0)
}

public struct ExchangeSettings : Sendable {

    public var clock: any NetworkClock

    public var deadline: ContinuousClock.Instant?

    public var serverTrust: (any ServerTrustEvaluating)?

    public var clientIdentity: ClientIdentity?

    public var proxy: Proxy?

    public var pause: PauseSignal?

    public var observers: [any EventObserver]

    public var hooks: ExchangeHooks

    public var redaction: Redaction

    public var userInfo: UserInfo

    public init()
}

public struct FieldError : Error, Sendable, Hashable, CustomStringConvertible {

    public enum Kind : Sendable, Hashable {

        case malformed

        case overflow

        case conflicting

        case duplicate

        case tooMany

        case unsupportedUnit

        case unrepresentable
    }

    public var kind: FieldError.Kind

    public var field: String

    public var offset: Int?

    public init(_ kind: FieldError.Kind, field: String, offset: Int? = nil)

    public var description: String { get }
}

extension FieldError : LocalizedError {

    public var errorDescription: String? { get }
}

public struct FieldList : Sequence, Sendable, Hashable {

    public let value: String

    public init(_ value: String)

    public init(lines: [String])

    public struct Iterator : IteratorProtocol, Sendable {

        public mutating func next() -> Substring?
    }

    public func makeIterator() -> FieldList.Iterator
}

public struct FieldParameter : Sendable, Hashable {

    public var name: String

    public var value: String

    public init(name: String, value: String)
}

final public class FileBodyReader : Sendable {

    public init(_ region: Body.FileRegion, in files: any FileSystem = LocalFileSystem()) throws(NetworkError)

    public var left: Int64 { get }

    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(NetworkError) -> Int
}

public struct FileIdentity : Sendable, Hashable, Codable {

    public var device: UInt64

    public var inode: UInt64

    public init(device: UInt64, inode: UInt64)
}

public struct FileOpenOptions : OptionSet, Sendable, Hashable {

    public let rawValue: UInt8

    public init(rawValue: UInt8)

    public static let read: FileOpenOptions

    public static let write: FileOpenOptions

    public static let create: FileOpenOptions

    public static let exclusive: FileOpenOptions

    public static let truncate: FileOpenOptions

    public static let noFollow: FileOpenOptions

    public static let ordinaryMode: FileOpenOptions
}

public struct FileStatus : Sendable, Hashable {

    public enum Kind : Sendable, Hashable {

        case regular

        case directory

        case symbolicLink

        case other
    }

    public var kind: FileStatus.Kind

    public var length: Int64

    public var modified: Int64

    public var modifiedNanoseconds: Int64

    public var identity: FileIdentity

    public var permissions: UInt16

    public init(kind: FileStatus.Kind, length: Int64, modified: Int64, modifiedNanoseconds: Int64 = 0, identity: FileIdentity, permissions: UInt16 = 0o600)
}

public protocol FileSystem : Sendable {

    func open(_ path: String, _ options: FileOpenOptions) throws(FileSystemError) -> any OpenFile

    func status(_ path: String) throws(FileSystemError) -> FileStatus?

    func linkStatus(_ path: String) throws(FileSystemError) -> FileStatus?

    func resolved(_ path: String) throws(FileSystemError) -> String

    func rename(_ path: String, to newPath: String, replacing: Bool) throws(FileSystemError)

    func remove(_ path: String) throws(FileSystemError)

    func createDirectory(_ path: String) throws(FileSystemError)

    func list(_ path: String) throws(FileSystemError) -> [String]

    func synchronizeDirectory(_ path: String) throws(FileSystemError)

    func availableBytes(_ path: String) throws(FileSystemError) -> Int64
}

extension FileSystem {

    public func rename(_ path: String, to newPath: String) throws(FileSystemError)
}

extension FileSystem where Self == LocalFileSystem {

    public static var local: LocalFileSystem { get }
}

public struct FileSystemError : Error, Sendable, Hashable {

    public var code: Int32

    public var operation: String

    public var path: String

    public init(code: Int32, operation: String, path: String)
}

extension FileSystemError : CustomStringConvertible {

    public var isDiskFull: Bool { get }

    public var reason: String { get }

    public var advice: String? { get }

    public var description: String { get }
}

extension FileSystemError : LocalizedError {

    public var errorDescription: String? { get }

    public var recoverySuggestion: String? { get }
}

public struct HTTPDate : Sendable, Hashable, Comparable {

    public static let earliest: HTTPDate

    public static let latest: HTTPDate

    public let secondsSince1970: Int64

    public init(secondsSince1970: Int64)

    public init(_ date: Date)

    public var date: Date { get }

    public static func < (left: HTTPDate, right: HTTPDate) -> Bool
}

extension HTTPDate : CustomStringConvertible {

    public var description: String { get }
}

extension HTTPDate {

    public init?(cookieDate text: String)
}

extension HTTPDate {

    public init?(_ text: String, now: HTTPDate)
}

public struct HandshakeRequirements : Sendable, Hashable {

    public enum TLSVersion : Int, Sendable, Hashable, Comparable {

        case tls12

        case tls13

        public static func < (left: HandshakeRequirements.TLSVersion, right: HandshakeRequirements.TLSVersion) -> Bool
    }

    public var leastVersion: HandshakeRequirements.TLSVersion?

    public var requiresStapledOCSP: Bool

    public var refusesPlainHTTP: Bool

    public init(leastVersion: HandshakeRequirements.TLSVersion? = nil, requiresStapledOCSP: Bool = false, refusesPlainHTTP: Bool = false)
}

public struct HookNames : OptionSet, Sendable, Hashable, CustomStringConvertible {

    public let rawValue: UInt8

    public init(rawValue: UInt8)

    public static let redirect: HookNames

    public static let canAnswer: HookNames

    public static let mayUseStoredCredentials: HookNames

    public static let challenge: HookNames

    public static let newBody: HookNames

    public static let storeInCache: HookNames

    public var names: [String] { get }

    public var description: String { get }
}

public protocol Interceptor : Sendable {

    var asks: HookNames { get }

    nonisolated(nonsending) func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response
}

extension Interceptor {

    public var asks: HookNames { get }
}

public enum InternetDate {

    public static func parse(_ text: String) -> Date?

    public static func text(_ date: Date, keepsFraction: Bool = false) -> String?
}

public struct InvalidOriginError : Error, Sendable, Hashable, CustomStringConvertible {

    public enum Reason : String, Sendable, Hashable {

        case scheme

        case host

        case port

        case userInformation
    }

    public let reason: InvalidOriginError.Reason

    public let detail: String

    public var message: String { get }

    public var advice: String? { get }

    public var description: String { get }
}

extension InvalidOriginError : LocalizedError {

    public var errorDescription: String? { get }

    public var recoverySuggestion: String? { get }
}

public struct LocalFileSystem : FileSystem {

    public init()

    public func open(_ path: String, _ options: FileOpenOptions) throws(FileSystemError) -> any OpenFile

    public func status(_ path: String) throws(FileSystemError) -> FileStatus?

    public func linkStatus(_ path: String) throws(FileSystemError) -> FileStatus?

    public func resolved(_ path: String) throws(FileSystemError) -> String

    public func rename(_ path: String, to newPath: String, replacing: Bool) throws(FileSystemError)

    public func remove(_ path: String) throws(FileSystemError)

    public func availableBytes(_ path: String) throws(FileSystemError) -> Int64
}

extension LocalFileSystem {

    public func createDirectory(_ path: String) throws(FileSystemError)

    public func list(_ path: String) throws(FileSystemError) -> [String]

    public func synchronizeDirectory(_ path: String) throws(FileSystemError)
}

public struct MediaType : Sendable, Hashable {

    public static let maximumParameters: Int

    public let type: String

    public let subtype: String

    public let parameters: [FieldParameter]

    public init?(type: String, subtype: String, parameters: [FieldParameter] = [])

    public var essence: String { get }

    public var suffix: Substring? { get }

    public subscript(parameter: String) -> String? { get }

    public var charset: Charset? { get }

    public func setting(_ parameter: String, to value: String?) -> MediaType?

    public var withoutParameters: MediaType { get }
}

extension MediaType {

    public init?(of fields: HTTPTypes.HTTPFields)

    public init?(_ text: String)
}

extension MediaType : CustomStringConvertible {

    public var description: String { get }
}

extension MediaType {

    public var fileExtension: String? { get }

    public init?(fileExtension: String)
}

extension MediaType {

    public enum Match : Int, Sendable, Hashable, Comparable {

        case anything

        case type

        case suffix

        case exact

        public static func < (left: MediaType.Match, right: MediaType.Match) -> Bool
    }

    public func hasSameEssence(as other: MediaType) -> Bool

    public func match(_ other: MediaType) -> MediaType.Match?
}

extension MediaType {

    public static let any: MediaType

    public static let octetStream: MediaType

    public static let json: MediaType

    public static let problemJSON: MediaType

    public static let xml: MediaType

    public static let textXML: MediaType

    public static let yaml: MediaType

    public static let propertyList: MediaType

    public static let formURLEncoded: MediaType

    public static let formData: MediaType

    public static let byteRanges: MediaType

    public static let plainText: MediaType

    public static let html: MediaType

    public static let css: MediaType

    public static let csv: MediaType

    public static let javaScript: MediaType

    public static let eventStream: MediaType

    public static let pdf: MediaType

    public static let zip: MediaType

    public static let gzip: MediaType

    public static let png: MediaType

    public static let jpeg: MediaType

    public static let gif: MediaType

    public static let webP: MediaType

    public static let svg: MediaType
}

public struct MultipartError : Error, Sendable, Hashable {

    public enum Kind : Sendable, Hashable {

        case invalidBoundary

        case missingDelimiter

        case truncated

        case invalidFieldName

        case invalidFieldValue

        case invalidLineBreak

        case preambleTooLong

        case tooManyParts

        case headerTooLong

        case tooManyFields

        case paddingTooLong

        case bodyTooLong

        case partPassed

        case overlappingRead
    }

    public let kind: MultipartError.Kind

    public let position: Int

    public init(_ kind: MultipartError.Kind, at position: Int)
}

extension MultipartError : CustomStringConvertible {

    public var description: String { get }
}

extension MultipartError : LocalizedError {

    public var errorDescription: String? { get }
}

public struct MultipartPart<Source> where Source : AsyncSequence, Source.Element == Data {

    public let fields: HTTPTypes.HTTPFields

    public let body: MultipartPart<Source>.Body

    public struct Body : AsyncSequence {

        public typealias Element = Data

        public typealias Failure = any Error

        public func makeAsyncIterator() -> MultipartPart<Source>.Body.AsyncIterator

        public func collect(upTo limit: Int, isolation actor: isolated (any Actor)? = #isolation) async throws -> Data

        public struct AsyncIterator : AsyncIteratorProtocol {

            public mutating func next() async throws -> Data?

            public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data?
        }
    }
}

extension MultipartPart : CustomReflectable {

    public var customMirror: Mirror { get }
}

public struct MultipartParts<Source> : AsyncSequence where Source : AsyncSequence, Source.Element == Data {

    public typealias Element = MultipartPart<Source>

    public typealias Failure = any Error

    public init(_ source: Source, boundary: String, limits: MultipartReader.Limits = MultipartReader.Limits()) throws(MultipartError)

    public func makeAsyncIterator() -> MultipartParts<Source>.AsyncIterator

    public struct AsyncIterator : AsyncIteratorProtocol {

        public mutating func next() async throws -> MultipartParts<Source>.Element?

        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> MultipartParts<Source>.Element?
    }
}

extension MultipartParts : Sendable where Source : Sendable {
}

public struct MultipartReader : Sendable {

    public enum Event : Sendable, Hashable {

        case partBegan(HTTPTypes.HTTPFields)

        case body(Data)

        case partEnded

        case finished
    }

    public init(boundary: String, limits: MultipartReader.Limits = Limits()) throws(MultipartError)

    public var isFinished: Bool { get }

    public var position: Int { get }

    public mutating func feed(_ chunk: Data)

    public mutating func end()

    public mutating func next() throws(MultipartError) -> MultipartReader.Event?
}

extension MultipartReader {

    public struct Limits : Sendable, Hashable {

        public var boundaryCharacters: Int

        public var preambleBytes: Int

        public var parts: Int

        public var headerBytes: Int

        public var headerFields: Int

        public var paddingBytes: Int

        public init(boundaryCharacters: Int = 70, preambleBytes: Int = 16_384, parts: Int = 10_000, headerBytes: Int = 16_384, headerFields: Int = 64, paddingBytes: Int = 256)
    }
}

public protocol NetworkClock : Sendable {

    var now: ContinuousClock.Instant { get }

    var date: Date { get }

    func sleep(until deadline: ContinuousClock.Instant) async throws
}

extension NetworkClock where Self == SystemClock {

    public static var system: SystemClock { get }
}

public struct NetworkError : Error, Sendable {

    public struct Details : Sendable {

        public var kind: NetworkError.Kind

        public var stage: NetworkError.Stage

        public var message: String

        public var advice: String?

        public var request: Request?

        public var response: ResponseHead?

        public var responseBody: Data?

        public var bytesSent: Int64

        public var bytesReceived: Int64

        public var connectionReused: Bool?

        public var maybeProcessed: Bool

        public var lacksNetwork: Bool

        public var trust: ServerTrustError?

        public var proxyChallenges: [Challenge]

        public var attempts: Int

        public var missing: TransportCapabilities

        public var resumption: (any ResumableHandle)?

        public var underlying: (any Error)?

        public var transportCode: Int?

        public var streamErrorCode: Int?
    }

    public var details: NetworkError.Details

    public init(_ kind: NetworkError.Kind, stage: NetworkError.Stage, message: String, advice: String? = nil, underlying: (any Error)? = nil)

    public init(_ details: NetworkError.Details)

    public func with(_ change: (inout NetworkError.Details) -> Void) -> NetworkError

    public static let keptBodyBytes: Int

    public var kind: NetworkError.Kind { get }

    public var stage: NetworkError.Stage { get }

    public var message: String { get }

    public var maybeProcessed: Bool { get }

    public var isTimeout: Bool { get }

    public var status: HTTPTypes.HTTPResponse.Status? { get }

    public var isRetryable: Bool { get }
}

extension NetworkError {

    public struct Kind : RawRepresentable, Sendable, Hashable, CustomStringConvertible {

        public var rawValue: String

        public init(rawValue: String)

        public var description: String { get }

        public static let invalidURL: NetworkError.Kind

        public static let invalidRequest: NetworkError.Kind

        public static let unsupported: NetworkError.Kind

        public static let transportShutDown: NetworkError.Kind

        public static let resourceExhausted: NetworkError.Kind

        public static let networkNotAllowed: NetworkError.Kind

        public static let nameLookupFailed: NetworkError.Kind

        public static let connectionFailed: NetworkError.Kind

        public static let connectTimedOut: NetworkError.Kind

        public static let handshakeFailed: NetworkError.Kind

        public static let serverTrustRefused: NetworkError.Kind

        public static let clientIdentityFailed: NetworkError.Kind

        public static let proxyFailed: NetworkError.Kind

        public static let proxyChallenge: NetworkError.Kind

        public static let connectionLost: NetworkError.Kind

        public static let idleTimedOut: NetworkError.Kind

        public static let timedOut: NetworkError.Kind

        public static let protocolViolation: NetworkError.Kind

        public static let headerLimitExceeded: NetworkError.Kind

        public static let streamReset: NetworkError.Kind

        public static let truncatedBody: NetworkError.Kind

        public static let bodyTooLarge: NetworkError.Kind

        public static let contentDecodingFailed: NetworkError.Kind

        public static let decodingLimitExceeded: NetworkError.Kind

        public static let bufferLimitExceeded: NetworkError.Kind

        public static let bodyAlreadyRead: NetworkError.Kind

        public static let sinkFailed: NetworkError.Kind

        public static let bodyNotReplayable: NetworkError.Kind

        public static let bodyLengthMismatch: NetworkError.Kind

        public static let bodySourceFailed: NetworkError.Kind

        public static let fileError: NetworkError.Kind

        public static let tooManyRedirects: NetworkError.Kind

        public static let invalidRedirect: NetworkError.Kind

        public static let unacceptableStatus: NetworkError.Kind

        public static let unacceptableContentType: NetworkError.Kind

        public static let serializationFailed: NetworkError.Kind

        public static let authenticationFailed: NetworkError.Kind

        public static let notInCache: NetworkError.Kind

        public static let `internal`: NetworkError.Kind
    }

    public enum Stage : String, Sendable, Hashable, CaseIterable {

        case preparing

        case queued

        case resolving

        case connecting

        case securing

        case sending

        case awaitingHead

        case receivingBody

        case validating

        case writing

        case decoding

        public var phrase: String { get }
    }
}

extension NetworkError {

    public var advice: String? { get }
}

extension NetworkError : CustomStringConvertible {

    public var description: String { get }
}

extension NetworkError {

    public static func timeout(_ kind: NetworkError.Kind, stage: NetworkError.Stage, of timeouts: Timeouts) -> NetworkError
}

extension NetworkError : LocalizedError {

    public var errorDescription: String? { get }

    public var failureReason: String? { get }

    public var recoverySuggestion: String? { get }
}

extension NetworkError {

    public static func unsupported(_ missing: TransportCapabilities, request: Request? = nil) -> NetworkError
}

extension NetworkError.Details : CustomReflectable {

    public var customMirror: Mirror { get }
}

public struct NetworkInterface : Sendable, Hashable {

    public var name: String

    public var kind: NetworkInterface.Kind

    public init(_ name: String, _ kind: NetworkInterface.Kind)

    public struct Kind : RawRepresentable, Sendable, Hashable, CustomStringConvertible {

        public var rawValue: String

        public init(rawValue: String)

        public var description: String { get }

        public static let wired: NetworkInterface.Kind

        public static let wiFi: NetworkInterface.Kind

        public static let cellular: NetworkInterface.Kind

        public static let tunnel: NetworkInterface.Kind

        public static let bridge: NetworkInterface.Kind

        public static let virtual: NetworkInterface.Kind

        public static let loopback: NetworkInterface.Kind

        public static let other: NetworkInterface.Kind
    }
}

public struct NetworkPath : Sendable, Hashable {

    public var status: ReachabilityStatus

    public var interfaces: [NetworkInterface]

    public var families: AddressFamilies

    public var isExpensive: Bool

    public var isConstrained: Bool

    public init(_ status: ReachabilityStatus, interfaces: [NetworkInterface] = [], families: AddressFamilies = [], isExpensive: Bool = false, isConstrained: Bool = false)

    public static let unknown: NetworkPath

    public static let notReachable: NetworkPath

    public func isAllowed(by networks: AllowedNetworks) -> Bool
}

public struct NetworkPathChanges : AsyncSequence, Sendable {

    public typealias Element = NetworkPath

    public typealias Failure = Never

    public static let limit: Int

    public var leftOut: Int { get }

    public func makeAsyncIterator() -> NetworkPathChanges.Iterator

    public struct Iterator : AsyncIteratorProtocol {

        public mutating func next() async -> NetworkPath?

        public mutating func next(isolation actor: isolated (any Actor)?) async -> NetworkPath?
    }
}

final public class NetworkPathFeed : Sendable {

    public init(_ path: NetworkPath = .unknown)

    deinit

    public var path: NetworkPath { get }

    public func send(_ path: NetworkPath)

    public func finish()

    public func changes() -> NetworkPathChanges
}

final public class NetworkPathObservation : Sendable {

    public var isCancelled: Bool { get }

    public func cancel()
}

public struct Next : Sendable {

    public init(_ interceptors: [any Interceptor], last: nonisolated(nonsending) @escaping @Sendable (Request, Exchange) async throws -> Response)

    @inlinable nonisolated(nonsending) public func callAsFunction(_ request: Request, in exchange: Exchange) async throws -> Response
}

public protocol OpenFile : AnyObject, Sendable {

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileSystemError) -> Int

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileSystemError)

    func synchronize() throws(FileSystemError)

    func truncate(to length: Int64) throws(FileSystemError)

    func preallocate(_ length: Int64) throws(FileSystemError)

    func status() throws(FileSystemError) -> FileStatus

    func setPermissions(_ permissions: UInt16) throws(FileSystemError)

    func setModified(_ seconds: Int64) throws(FileSystemError)

    func tryLock() throws(FileSystemError) -> Bool

    func releaseCache(from start: Int64, to end: Int64)

    func close() throws(FileSystemError)
}

extension OpenFile {

    public func length() throws(FileSystemError) -> Int64

    public func releaseCache(from start: Int64, to end: Int64)
}

public struct Origin : Sendable, Hashable, CustomStringConvertible {

    public enum Scheme : String, Sendable, Hashable, CaseIterable {

        case http

        case https

        public var defaultPort: Int { get }
    }

    public let scheme: Origin.Scheme

    public let host: String

    public let port: Int

    public let isIPAddress: Bool

    public init(scheme: Origin.Scheme, host: String, port: Int? = nil) throws(InvalidOriginError)

    public init(_ url: URL) throws(InvalidOriginError)

    public func hash(into hasher: inout Hasher)

    public var urlHost: String { get }

    public var authority: String { get }

    public var description: String { get }
}

final public class PauseSignal : Sendable {

    final public class Observation : Sendable {

        deinit
    }

    public init()

    public var isPaused: Bool { get }

    public func pause()

    public func resume()

    public func observe(_ handler: @escaping @Sendable () -> Void) -> PauseSignal.Observation

    nonisolated(nonsending) public func waitWhilePaused() async throws
}

public struct ProtectionSpace : Sendable, Hashable {

    public var origin: Origin

    public var isProxy: Bool

    public var scheme: String

    public var realm: String?

    public init(origin: Origin, isProxy: Bool = false, scheme: String, realm: String? = nil)
}

public struct Proxy : Sendable, Hashable, CustomStringConvertible {

    public enum Kind : String, Sendable, Hashable, CaseIterable {

        case http

        case socks5
    }

    public var kind: Proxy.Kind

    public var host: String

    public var port: Int

    public var credential: Credential?

    public var authorization: String?

    public init(_ kind: Proxy.Kind = .http, host: String, port: Int, credential: Credential? = nil)

    public var description: String { get }
}

extension Proxy : CustomReflectable {

    public var customMirror: Mirror { get }
}

public struct RateLimit : Sendable, Hashable, Codable {

    public var send: Int64?

    public var receive: Int64?

    public init(send: Int64? = nil, receive: Int64? = nil)
}

public protocol ReachabilityMonitoring : Sendable {

    var path: NetworkPath { get }

    var isMonitoring: Bool { get }

    func changes() -> NetworkPathChanges
}

extension ReachabilityMonitoring {

    public var isMonitoring: Bool { get }

    public var status: ReachabilityStatus { get }

    public var isReachable: Bool? { get }

    public var isReachableViaWiFi: Bool? { get }

    public var isReachableViaCellular: Bool? { get }

    @discardableResult
    public func observe(on executor: CallbackExecutor, _ handler: @escaping @Sendable (NetworkPath) -> Void) -> NetworkPathObservation
}

public enum ReachabilityStatus : Sendable, Hashable {

    case unknown

    case notReachable

    case reachableViaWiFi

    case reachableViaCellular

    public var isReachable: Bool? { get }

    public var localizedStatus: String { get }
}

public enum ReasonPhrase {

    public static func standard(_ code: Int) -> String
}

public struct Redaction : Sendable {

    public var fields: Set<HTTPTypes.HTTPField.Name>

    public var queryItems: Set<String>

    public init(fields: Set<HTTPTypes.HTTPField.Name>, queryItems: Set<String>)

    public static let mark: String

    public static let standard: Redaction

    public func redacted(_ headerFields: HTTPTypes.HTTPFields) -> HTTPTypes.HTTPFields

    public func redacted(_ url: URL) -> String

    public func redacted(_ request: Request) -> Request

    public func redacted(_ head: ResponseHead) -> ResponseHead

    public func redacted(_ error: any Error) -> any Error

    public func redacted(_ challenge: Challenge) -> Challenge
}

public struct Request : Sendable {

    public init(_ method: HTTPTypes.HTTPRequest.Method = .get, _ url: URL, headerFields: HTTPTypes.HTTPFields = [:], body: Body = .empty, options: RequestOptions = RequestOptions())

    public init(_ method: HTTPTypes.HTTPRequest.Method = .get, _ url: String) throws(NetworkError)

    public var origin: Origin { get throws(InvalidOriginError) }

    public var target: String { get throws(InvalidOriginError) }

    public var isIdempotent: Bool { get }
}

extension Request : Codable {

    public init(from decoder: any Decoder) throws

    public func encode(to encoder: any Encoder) throws
}

extension Request : CustomReflectable {

    public var customMirror: Mirror { get }
}

extension Request : CustomStringConvertible {

    public var description: String { get }
}

extension Request {

    public var method: HTTPTypes.HTTPRequest.Method

    public var url: URL

    public var headerFields: HTTPTypes.HTTPFields

    public var body: Body

    public var options: RequestOptions
}

public struct RequestArchive : Sendable, Codable {

    public var request: Request

    public private(set) var omittedSecrets: [String] { get }

    public init(_ request: Request)

    public init(from decoder: any Decoder) throws

    public func encode(to encoder: any Encoder) throws
}

public enum RequestCheck {

    public static func origin(of request: Request) throws(NetworkError) -> Origin

    public static func validate(_ request: Request, in exchange: Exchange, for capabilities: TransportCapabilities) throws(NetworkError)

    public static func proxy(of exchange: Exchange) throws(NetworkError) -> Proxy?

    public static func validate(_ request: Request) throws(NetworkError)
}

public struct RequestOptions : Sendable, Hashable {

    public var timeouts: Timeouts

    public var cachePolicy: CachePolicy?

    public var redirectLimit: Int?

    public var handlesCookies: Bool?

    public var priority: RequestPriority?

    public var allowedNetworks: AllowedNetworks?

    public var expectsContinue: Bool?

    public var decodesContent: Bool?

    public var version: VersionPolicy?

    public var rateLimit: RateLimit?

    public var isIdempotent: Bool?

    public var delivery: ResponseDelivery?

    public var unixSocketPath: String?

    public var addressOverrides: [AddressOverride]

    public var needs: TransportCapabilities

    public init(timeouts: Timeouts = Timeouts(), isIdempotent: Bool? = nil)

    public init(timeout: Duration)

    public func over(_ defaults: RequestOptions) -> RequestOptions
}

extension RequestOptions : Codable {

    public init(from decoder: any Decoder) throws

    public func encode(to encoder: any Encoder) throws
}

public struct RequestPriority : RawRepresentable, Sendable, Hashable, Comparable, Codable {

    public var rawValue: Int8

    public init(rawValue: Int8)

    public static let low: RequestPriority

    public static let normal: RequestPriority

    public static let high: RequestPriority

    public static func < (left: RequestPriority, right: RequestPriority) -> Bool
}

public struct Response : Sendable {

    public var body: ResponseBody

    public init(head: ResponseHead, body: ResponseBody)

    public var head: ResponseHead
}

final public class ResponseBody : AsyncSequence, Sendable {

    public typealias Element = Data

    public typealias Failure = any Error

    public convenience init(_ channel: BodyChannel)

    public convenience init(_ source: any ResponseBodySource)

    public convenience init(_ bytes: Data, trailers: HTTPTypes.HTTPFields? = nil)

    deinit

    public var trailers: HTTPTypes.HTTPFields? { get }

    public func tapped(by tap: any BodyTap) -> ResponseBody

    public func wrapped(_ wrap: (any ResponseBodySource) -> any ResponseBodySource) -> ResponseBody

    public func cancel()

    public func makeAsyncIterator() -> ResponseBody.Iterator

    public struct Iterator : AsyncIteratorProtocol {

        nonisolated(nonsending) public mutating func next() async throws -> Data?
    }

    public func collect(upTo limit: Int, expecting length: Int64? = nil) async throws -> Data

    @discardableResult
    public func discard(upTo limit: Int = 65_536) async -> Bool

    public func drain(into sink: any BodySink) async throws
}

public protocol ResponseBodySource : AnyObject, Sendable {

    nonisolated(nonsending) func next() async throws -> Data?

    func cancel()

    func reject() async

    var trailers: HTTPTypes.HTTPFields? { get }
}

extension ResponseBodySource {

    public func reject() async
}

public enum ResponseDelivery : String, Sendable, Hashable, Codable {

    case streamed

    case collected
}

public struct ResponseHead : Sendable, Hashable {

    public enum Version : String, Sendable, Hashable, CaseIterable {

        case http10

        case http11

        case http2

        case http3
    }

    public enum Source : String, Sendable, Hashable, CaseIterable {

        case network

        case cache

        case validated
    }

    public var url: URL

    public var status: HTTPTypes.HTTPResponse.Status

    public var version: ResponseHead.Version?

    public var headerFields: HTTPTypes.HTTPFields

    public var expectedLength: Int64?

    public var source: ResponseHead.Source

    public var undoneCoding: UndoneCoding?

    public init(url: URL, status: HTTPTypes.HTTPResponse.Status, version: ResponseHead.Version? = nil, headerFields: HTTPTypes.HTTPFields = [:])

    public init(url: URL, status: HTTPTypes.HTTPResponse.Status, version: ResponseHead.Version?, headerFields: HTTPTypes.HTTPFields, expectedLength: Int64?)

    public var mediaType: MediaType? { get }

    public var charset: Charset? { get }

    public var suggestedFileName: String { get }
}

extension ResponseHead : Codable {

    public init(from decoder: any Decoder) throws

    public func encode(to encoder: any Encoder) throws
}

extension ResponseHead : CustomStringConvertible, CustomReflectable {

    public var description: String { get }

    public var customMirror: Mirror { get }
}

public protocol ResumableHandle : Sendable {

    var completedBytes: Int64 { get }
}

public struct ServerTrust : Sendable, Hashable {

    public var host: String

    public var port: Int

    public var certificates: [Data]

    public var ocspResponse: Data?

    public var date: Date

    public init(host: String, port: Int, certificates: [Data], ocspResponse: Data? = nil, date: Date)
}

public struct ServerTrustError : Error, Sendable, Hashable, CustomStringConvertible {

    public struct Reason : RawRepresentable, Sendable, Hashable, CustomStringConvertible {

        public var rawValue: String

        public init(rawValue: String)

        public var description: String { get }

        public static let malformed: ServerTrustError.Reason

        public static let untrusted: ServerTrustError.Reason

        public static let expired: ServerTrustError.Reason

        public static let notYetValid: ServerTrustError.Reason

        public static let hostMismatch: ServerTrustError.Reason

        public static let revoked: ServerTrustError.Reason

        public static let revocationUnknown: ServerTrustError.Reason

        public static let pinMismatch: ServerTrustError.Reason

        public static let weak: ServerTrustError.Reason

        public static let constraint: ServerTrustError.Reason

        public static let policy: ServerTrustError.Reason
    }

    public var reason: ServerTrustError.Reason

    public var certificate: Int?

    public var message: String

    public var advice: String?

    public var trust: ServerTrust?

    public init(_ reason: ServerTrustError.Reason, certificate: Int? = nil, message: String, advice: String? = nil)

    public var description: String { get }
}

extension ServerTrustError : LocalizedError {

    public var errorDescription: String? { get }

    public var recoverySuggestion: String? { get }
}

public protocol ServerTrustEvaluating : Sendable {

    var connectionKey: ConnectionKey { get }

    var requirements: HandshakeRequirements { get }

    func evaluate(_ trust: ServerTrust) throws(ServerTrustError)
}

extension ServerTrustEvaluating {

    public var requirements: HandshakeRequirements { get }
}

public enum SinkDemand : Sendable, Hashable {

    case more

    case pause
}

public enum StructuredField {

    public typealias Dictionary = StructuredField.KeyedValues<StructuredField.Member>

    public typealias Parameters = StructuredField.KeyedValues<StructuredField.BareItem>
}

extension StructuredField {

    public struct ParseError : Error, Sendable, Hashable {

        public enum Kind : Sendable, Hashable {

            case unexpectedEnd

            case unexpectedByte(UInt8)

            case numberTooLong

            case invalidBase64

            case invalidUTF8

            case trailingComma

            case tooManyBytes

            case tooManyMembers

            case tooManyInnerListItems

            case tooManyParameters
        }

        public let kind: StructuredField.ParseError.Kind

        public let position: Int
    }

    public enum SerializationError : Error, Sendable, Hashable {

        case integerOutOfRange(Int64)

        case decimalOutOfRange(StructuredField.Decimal)

        case stringNotASCII

        case invalidToken(String)

        case invalidKey(String)
    }
}

extension StructuredField {

    public enum BareItem : Sendable, Hashable {

        case integer(Int64)

        case decimal(StructuredField.Decimal)

        case string(String)

        case token(String)

        case byteSequence(Data)

        case boolean(Bool)

        case date(Int64)

        case displayString(String)
    }
}

extension StructuredField {

    public struct Decimal : Sendable, Hashable {

        public var thousandths: Int64

        public init(thousandths: Int64)

        public init?(_ value: Double)

        public var doubleValue: Double { get }
    }
}

extension StructuredField {

    public protocol FieldValue : Hashable, Sendable {

        init(parsing bytes: [UInt8], limits: StructuredField.Limits) throws(StructuredField.ParseError)

        func serialized() throws(StructuredField.SerializationError) -> String
    }
}

extension StructuredField {

    public struct KeyedValues<Value> : Sendable where Value : Hashable, Value : Sendable {

        public struct Entry : Sendable, Hashable {

            public let key: String

            public internal(set) var value: Value { get }
        }

        public init()

        public subscript(key: String) -> Value?
    }
}

extension StructuredField {

    public struct Limits : Sendable, Hashable {

        public var totalBytes: Int

        public var members: Int

        public var innerListItems: Int

        public var parameters: Int

        public init(totalBytes: Int = 65_536, members: Int = 1024, innerListItems: Int = 256, parameters: Int = 256)
    }
}

extension StructuredField {

    public struct Item : Sendable, Hashable {

        public var value: StructuredField.BareItem

        public var parameters: StructuredField.Parameters

        public init(_ value: StructuredField.BareItem, parameters: StructuredField.Parameters = [:])
    }

    public struct InnerList : Sendable, Hashable {

        public var items: [StructuredField.Item]

        public var parameters: StructuredField.Parameters

        public init(_ items: [StructuredField.Item], parameters: StructuredField.Parameters = [:])
    }

    public enum Member : Sendable, Hashable {

        case item(StructuredField.Item)

        case innerList(StructuredField.InnerList)

        public var item: StructuredField.Item? { get }

        public var innerList: StructuredField.InnerList? { get }
    }

    public struct List : Sendable, Hashable {

        public var members: [StructuredField.Member]

        public init(_ members: [StructuredField.Member] = [])
    }
}

extension StructuredField.ParseError : CustomStringConvertible {

    public var description: String { get }
}

extension StructuredField.ParseError : LocalizedError {

    public var errorDescription: String? { get }
}

extension StructuredField.SerializationError : CustomStringConvertible {

    public var description: String { get }
}

extension StructuredField.SerializationError : LocalizedError {

    public var errorDescription: String? { get }
}

extension StructuredField.FieldValue {

    public init(parsing text: String, limits: StructuredField.Limits = StructuredField.Limits()) throws(StructuredField.ParseError)

    public init(parsingLines lines: [String], limits: StructuredField.Limits = StructuredField.Limits()) throws(StructuredField.ParseError)
}

extension StructuredField.KeyedValues : Hashable {

    public static func == (left: StructuredField.KeyedValues<Value>, right: StructuredField.KeyedValues<Value>) -> Bool

    public func hash(into hasher: inout Hasher)
}

extension StructuredField.KeyedValues : RandomAccessCollection {

    public var startIndex: Int { get }

    public var endIndex: Int { get }

    public subscript(position: Int) -> StructuredField.KeyedValues<Value>.Entry { get }
}

extension StructuredField.KeyedValues : ExpressibleByDictionaryLiteral {

    public init(dictionaryLiteral elements: (String, Value)...)
}

extension StructuredField.KeyedValues : StructuredField.FieldValue where Value == StructuredField.Member {

    public init(parsing bytes: [UInt8], limits: StructuredField.Limits) throws(StructuredField.ParseError)
}

extension StructuredField.KeyedValues where Value == StructuredField.Member {

    public func serialized() throws(StructuredField.SerializationError) -> String
}

extension StructuredField.Item : StructuredField.FieldValue {

    public init(parsing bytes: [UInt8], limits: StructuredField.Limits) throws(StructuredField.ParseError)
}

extension StructuredField.Item {

    public func serialized() throws(StructuredField.SerializationError) -> String
}

extension StructuredField.List : StructuredField.FieldValue {

    public init(parsing bytes: [UInt8], limits: StructuredField.Limits) throws(StructuredField.ParseError)
}

extension StructuredField.List {

    public func serialized() throws(StructuredField.SerializationError) -> String
}

public struct SuggestedFileName : Sendable, Hashable, CustomStringConvertible {

    public static let maximumLength: Int

    public let value: String

    public init?(_ text: String)

    public init(disposition: ContentDisposition?, urlPath: String?, mediaType: MediaType?)

    public init(disposition: ContentDisposition?, url: URL?, mediaType: MediaType?)

    public var description: String { get }
}

public struct SystemClock : NetworkClock {

    public init()

    public var now: ContinuousClock.Instant { get }

    public var date: Date { get }

    public func sleep(until deadline: ContinuousClock.Instant) async throws
}

public struct Timeouts : Sendable, Hashable, Codable {

    public var connect: Duration?

    public var idle: Duration?

    public var total: Duration?

    public init(connect: Duration? = nil, idle: Duration? = nil, total: Duration? = nil)

    public func over(_ defaults: Timeouts) -> Timeouts
}

public struct TransferProgress : Sendable, Hashable {

    public var recent: Int64

    public var completed: Int64

    public var total: Int64?

    public var rate: Double?

    public var isFinal: Bool

    public init(recent: Int64, completed: Int64, total: Int64?, rate: Double? = nil, isFinal: Bool = false)

    public var fraction: Double? { get }

    public var timeLeft: Duration? { get }
}

public protocol Transport : Sendable {

    var capabilities: TransportCapabilities { get }

    nonisolated(nonsending) func send(_ request: Request, in exchange: Exchange) async throws -> Response

    func shutdown() async
}

extension Transport {

    public func shutdown() async
}

public struct TransportCapabilities : OptionSet, Sendable, Hashable {

    public let rawValue: UInt32

    public init(rawValue: UInt32)

    public static let serverTrust: TransportCapabilities

    public static let clientIdentity: TransportCapabilities

    public static let proxy: TransportCapabilities

    public static let backpressure: TransportCapabilities

    public static let metrics: TransportCapabilities

    public static let http2: TransportCapabilities

    public static let versionChoice: TransportCapabilities

    public static let unixSocket: TransportCapabilities

    public static let addressOverrides: TransportCapabilities

    public static let rateLimit: TransportCapabilities

    public static let rawContent: TransportCapabilities

    public static let trailers: TransportCapabilities

    public static let informationalResponses: TransportCapabilities

    public static let expectContinue: TransportCapabilities

    public static let streamedUploads: TransportCapabilities

    public static let connectTimeout: TransportCapabilities

    public static let allowedNetworks: TransportCapabilities

    public static let ocspStapling: TransportCapabilities

    public static let automaticHTTP2: TransportCapabilities

    public static let duplex: TransportCapabilities

    public static func required(by request: Request, in exchange: Exchange) -> TransportCapabilities

    public var names: [String] { get }
}

final public class TransportRegistry : DuplexTransport {

    public typealias Factory = @Sendable () throws -> any Transport

    public init()

    public func add(_ name: String, _ make: @escaping TransportRegistry.Factory)

    public func adding(_ name: String, _ make: @escaping TransportRegistry.Factory) -> TransportRegistry

    public var names: [String] { get }

    public var capabilities: TransportCapabilities { get }

    public func transport(named name: String) throws -> any Transport

    public func transport(for request: Request, in exchange: Exchange) throws -> any Transport

    nonisolated(nonsending) public func send(_ request: Request, in exchange: Exchange) async throws -> Response

    nonisolated(nonsending) public func connect(_ request: Request, in exchange: Exchange) async throws -> DuplexConnection

    public func shutdown() async
}

public enum TransportThread {

    public static func enter()

    public static var isCurrent: Bool { get }
}

public struct UndoneCoding : Sendable, Hashable {

    public var codings: [ContentCoding]

    public var codedLength: Int64?

    public init(_ codings: [ContentCoding], codedLength: Int64? = nil)
}

public struct UserInfo : Sendable {

    public init()

    public subscript<Key>(key: Key.Type) -> Key.Value? where Key : UserInfoKey
}

extension UserInfo : CustomReflectable {

    public var customMirror: Mirror { get }
}

public protocol UserInfoKey {

    associatedtype Value : Sendable
}

public enum VersionPolicy : String, Sendable, Hashable, CaseIterable, Codable {

    case automatic

    case http1

    case http2

    case http2PriorKnowledge
}

public struct WebLink : Sendable, Hashable {

    public var target: String

    public var relations: [String]

    public var parameters: [FieldParameter]

    public init(target: String, relations: [String], parameters: [FieldParameter] = [])

    public var hasOtherContext: Bool { get }

    public static func links(in fields: HTTPTypes.HTTPFields) -> [WebLink]

    public static func target(_ relation: String, of head: ResponseHead) -> String?
}

extension CodingUserInfoKey {

    public static let includesSecrets: CodingUserInfoKey
}

extension Array where Element == FieldParameter {

    public subscript(name: String) -> String? { get }
}

extension HTTPField {

    public var text: String { get }
}

extension HTTPFields {

    public init(named fields: KeyValuePairs<String, String>) throws(NetworkError)

    public mutating func set(_ name: String, to value: String) throws(NetworkError)

    public subscript(name: String) -> String?
}

extension String {

    @inlinable public var isSlowToCompare: Bool { get }
}

extension URL {

    public init?(keepingEscapes text: String)
}

extension HTTPFields {

    public func structured<Value>(_ name: HTTPTypes.HTTPField.Name, as type: Value.Type = Value.self, limits: StructuredField.Limits = StructuredField.Limits()) throws(StructuredField.ParseError) -> Value? where Value : StructuredField.FieldValue

    public mutating func setStructured(_ value: some StructuredField.FieldValue, for name: HTTPTypes.HTTPField.Name) throws(StructuredField.SerializationError)
}
