// swift-format-ignore-file
// The public interface of CurlewLoading, written by `swift package api-text`.

import CurlewCore
import CurlewStorage
import FoundationEssentials
import Glibc
import HTTPTypes

final public class ActivityCounter : CurlewCore.EventObserver {

    public init(startDelay: Duration = .seconds(1), endDelay: Duration = .milliseconds(170), clock: any CurlewCore.NetworkClock = .system, on executor: CurlewCore.CallbackExecutor = .mainActor(), _ changed: @escaping @Sendable (Bool) -> Void)

    public var isActive: Bool { get }

    public var count: Int { get }

    public var isEnabled: Bool

    public func observe(_ event: CurlewCore.ExchangeEvent)
}

public struct AttemptContext : Sendable {

    public var number: Int

    public var reason: AttemptReason

    public var previous: TransferAttempt?

    public init(number: Int = 1, reason: AttemptReason = .first, previous: TransferAttempt? = nil)
}

public enum AttemptReason : String, Sendable, Hashable, CaseIterable {

    case first

    case retry

    case resumption

    case restart
}

public protocol CacheContent : Sendable {

    var length: Int64 { get }

    func read(at offset: Int64, upTo count: Int) throws -> Data
}

public struct CacheEntry : Sendable {

    public var record: CacheRecord

    public var content: any CacheContent

    public init(record: CacheRecord, content: any CacheContent)
}

public struct CacheKey : Sendable, Hashable {

    public let text: String

    public init(text: String)

    public func hash(into hasher: inout Hasher)

    public init?(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange, secret: CacheSecret)
}

extension CacheKey : CustomReflectable {

    public var customMirror: Mirror { get }
}

public enum CacheRecord : Sendable, Hashable {

    case response(StoredResponse)

    case selector(VariantSelector)
}

extension CacheRecord {

    public var encoded: Data { get }

    public init?(encoded: Data)
}

public struct CacheSecret : Sendable, Hashable {

    public init()

    public init?(_ bytes: Data)
}

public protocol CacheStore : Sendable {

    var secret: CacheSecret { get }

    nonisolated(nonsending) func entry(for key: CacheKey) async -> CacheEntry?

    func begin(expecting length: Int64?) async -> (any CacheWriter)?

    func replace(_ entry: CacheEntry, under key: CacheKey, with record: CacheRecord) async

    func remove(_ key: CacheKey) async

    func removeAll() async
}

public struct CacheStoreError : Error, Sendable, Hashable, CustomStringConvertible {

    public enum Reason : String, Sendable, Hashable {

        case tooLarge

        case ended
    }

    public var reason: CacheStoreError.Reason

    public init(_ reason: CacheStoreError.Reason)

    public var description: String { get }
}

extension CacheStoreError : LocalizedError {

    public var errorDescription: String? { get }
}

public protocol CacheWriter : AnyObject, Sendable {

    func append(_ bytes: UnsafeRawBufferPointer) throws

    func commit(_ record: CacheRecord, under key: CacheKey) async throws

    func discard()
}

final public class Caching : CurlewCore.Interceptor {

    public let store: any CacheStore

    public struct Configuration : Sendable, Hashable {

        public var heuristicFraction: Double

        public var longestHeuristic: Duration

        public var servesStaleWhenUnreachable: Bool

        public var revalidationLimit: Int

        public var patience: Duration

        public init()
    }

    public init(_ store: any CacheStore, configuration: Caching.Configuration = Configuration())

    public var asks: CurlewCore.HookNames { get }

    nonisolated(nonsending) public func intercept(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange, next: CurlewCore.Next) async throws -> CurlewCore.Response

    public func waitForRevalidations() async
}

public struct CallbackHooks : Sendable {

    public var redirect: (@Sendable (_ proposed: CurlewCore.Request, _ response: CurlewCore.ResponseHead?) throws -> CurlewCore.Request?)?

    public var canAnswer: (@Sendable (CurlewCore.ProtectionSpace) throws -> Bool)?

    public var mayUseStoredCredentials: (@Sendable (CurlewCore.ProtectionSpace) throws -> Bool)?

    public var challenge: (@Sendable (CurlewCore.Challenge, ChallengeReply) throws -> Void)?

    public var newBody: (@Sendable (CurlewCore.Request) throws -> CurlewCore.Body?)?

    public var storeInCache: (@Sendable (_ response: CurlewCore.ResponseHead) throws -> CurlewCore.CacheAnswer)?

    public init()

    public func hooks(on executor: CurlewCore.CallbackExecutor, over others: CurlewCore.ExchangeHooks = ExchangeHooks()) -> CurlewCore.ExchangeHooks
}

final public class ChallengeReply : Sendable {

    public func callAsFunction(_ answer: CurlewCore.ChallengeAnswer)

    deinit
}

final public class CircuitBreaker : CurlewCore.Interceptor {

    public init(failureLimit: Int = 5, openFor: Duration = .seconds(30), probes: Int = 1)

    public func state(for origin: CurlewCore.Origin, at now: ContinuousClock.Instant) -> CircuitState

    public func intercept(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange, next: CurlewCore.Next) async throws -> CurlewCore.Response
}

public enum CircuitState : String, Sendable, Hashable, CaseIterable {

    case closed

    case open

    case halfOpen
}

final public class ConcurrencyLimit : CurlewCore.Interceptor {

    public init(perOrigin: Int, waitingLimit: Int = 10_000)

    public func count(for origin: CurlewCore.Origin) -> (active: Int, waiting: Int)

    public func intercept(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange, next: CurlewCore.Next) async throws -> CurlewCore.Response
}

final public class Connection : Sendable {

    public let originalRequest: CurlewCore.Request

    public init(_ request: CurlewCore.Request, over loader: Loader, delegate: any ConnectionDelegate, callingOn executor: CurlewCore.CallbackExecutor = .serial(), settings: CurlewCore.ExchangeSettings? = nil)

    @discardableResult
    public func start() -> Bool

    @discardableResult
    public func cancel() -> Bool

    public var currentRequest: CurlewCore.Request? { get }

    public var downloadProgress: TransferProgressSequence { get }

    public var uploadProgress: TransferProgressSequence { get }

    public var metrics: [CurlewCore.ExchangeMetrics] { get }

    public func settled() async
}

extension Connection {

    public static func sendSynchronousRequest(_ request: CurlewCore.Request, over loader: Loader, upTo limit: Int, settings: CurlewCore.ExchangeSettings? = nil) throws -> (Data, CurlewCore.ResponseHead)
}

public protocol ConnectionDelegate : AnyObject, Sendable {

    func connection(_ connection: Connection, willSend request: CurlewCore.Request, redirectedBy response: CurlewCore.ResponseHead?) -> CurlewCore.Request?

    func connection(_ connection: Connection, canAuthenticateAgainst space: CurlewCore.ProtectionSpace) -> Bool

    func connection(_ connection: Connection, mayUseStoredCredentialsFor space: CurlewCore.ProtectionSpace) -> Bool

    func connection(_ connection: Connection, didReceive challenge: CurlewCore.Challenge, reply: ChallengeReply)

    func connection(_ connection: Connection, didCancel challenge: CurlewCore.Challenge)

    func connection(_ connection: Connection, didSendBodyData bytes: Int64, total: Int64, expected: Int64?)

    func connection(_ connection: Connection, needNewBodyFor request: CurlewCore.Request) -> CurlewCore.Body?

    func connection(_ connection: Connection, didReceive response: CurlewCore.ResponseHead)

    func connection(_ connection: Connection, didReceive data: Data)

    func connection(_ connection: Connection, willCache response: CurlewCore.ResponseHead) -> CurlewCore.CacheAnswer

    func connectionDidFinishLoading(_ connection: Connection)

    func connection(_ connection: Connection, didFailWith error: any Error)
}

extension ConnectionDelegate {

    public func connection(_ connection: Connection, willSend request: CurlewCore.Request, redirectedBy response: CurlewCore.ResponseHead?) -> CurlewCore.Request?

    public func connection(_ connection: Connection, canAuthenticateAgainst space: CurlewCore.ProtectionSpace) -> Bool

    public func connection(_ connection: Connection, mayUseStoredCredentialsFor space: CurlewCore.ProtectionSpace) -> Bool

    public func connection(_ connection: Connection, didReceive challenge: CurlewCore.Challenge, reply: ChallengeReply)

    public func connection(_ connection: Connection, didCancel challenge: CurlewCore.Challenge)

    public func connection(_ connection: Connection, didSendBodyData bytes: Int64, total: Int64, expected: Int64?)

    public func connection(_ connection: Connection, needNewBodyFor request: CurlewCore.Request) -> CurlewCore.Body?

    public func connection(_ connection: Connection, didReceive response: CurlewCore.ResponseHead)

    public func connection(_ connection: Connection, didReceive data: Data)

    public func connection(_ connection: Connection, willCache response: CurlewCore.ResponseHead) -> CurlewCore.CacheAnswer

    public func connectionDidFinishLoading(_ connection: Connection)

    public func connection(_ connection: Connection, didFailWith error: any Error)
}

public struct ConnectivityWait : CurlewCore.Interceptor {

    public init(_ monitor: any CurlewCore.ReachabilityMonitoring, limit: Duration? = nil, whenWaiting: (@Sendable (CurlewCore.Request) -> Void)? = nil)

    public var asks: CurlewCore.HookNames { get }

    public func intercept(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange, next: CurlewCore.Next) async throws -> CurlewCore.Response
}

public struct Cookie : Sendable, Hashable {

    public enum SameSite : String, Sendable, Hashable, CaseIterable {

        case strict

        case lax

        case none
    }

    public var name: String

    public var value: String

    public var domain: String

    public var isHostOnly: Bool

    public var path: String

    public var expires: CurlewCore.HTTPDate?

    public var isSecure: Bool

    public var isHTTPOnly: Bool

    public var sameSite: Cookie.SameSite?

    public init(name: String, value: String, domain: String, isHostOnly: Bool = true, path: String = "/", expires: CurlewCore.HTTPDate? = nil, isSecure: Bool = false, isHTTPOnly: Bool = false, sameSite: Cookie.SameSite? = nil)

    public var pair: String { get }
}

extension Cookie : CustomStringConvertible, CustomReflectable {

    public var customMirror: Mirror { get }

    public var description: String { get }
}

public struct CookieContext : Sendable {

    public var date: Date

    public var redirectedFrom: [CurlewCore.Origin]

    public init(url: URL, method: HTTPTypes.HTTPRequest.Method = .get, date: Date, redirectedFrom: [CurlewCore.Origin] = [])

    public var url: URL

    public var method: HTTPTypes.HTTPRequest.Method
}

public protocol CookieJar : Sendable {

    nonisolated(nonsending) func cookies(for context: CookieContext) async -> [Cookie]

    func store(_ setCookies: [String], from context: CookieContext) async
}

public struct CookieLimits : Sendable, Hashable {

    public var perDomain: Int

    public var total: Int

    public init(perDomain: Int = 50, total: Int = 3000)
}

public struct Cookies : Sendable {

    public let jar: any CookieJar

    public init(_ jar: any CookieJar)
}

public struct CustomSink : TransferSink {

    public init(_ make: @escaping @Sendable (CurlewCore.ResponseHead, AttemptContext) async throws -> any CurlewCore.BodySink)

    public func open(_ head: CurlewCore.ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter
}

public struct DiskCacheStore : CacheStore {

    public let secret: CacheSecret

    public init(_ directory: String, capacity: Int64 = 256 << 20, entryLimit: Int64? = nil, secret: CacheSecret = CacheSecret()) throws(CurlewCore.FileSystemError)

    public init(_ store: CurlewStorage.BoundedStore, secret: CacheSecret = CacheSecret())

    public func entry(for key: CacheKey) async -> CacheEntry?

    public func begin(expecting length: Int64?) async -> (any CacheWriter)?

    public func replace(_ entry: CacheEntry, under key: CacheKey, with record: CacheRecord) async

    public func remove(_ key: CacheKey) async

    public func removeAll() async
}

public struct EnvironmentProxies : CurlewCore.Interceptor {

    public init(_ environment: [String : String])

    public func proxy(for url: URL) throws(CurlewCore.NetworkError) -> CurlewCore.Proxy?

    nonisolated(nonsending) public func intercept(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange, next: CurlewCore.Next) async throws -> CurlewCore.Response
}

extension EnvironmentProxies : CustomReflectable {

    public var customMirror: Mirror { get }
}

final public class FileCookieJar : CookieJar {

    public let memory: MemoryCookieJar

    public static let limit: Int

    public init(_ path: String, publicSuffixes: any PublicSuffixes = .system, limits: CookieLimits = CookieLimits(), keepsSessionCookies: Bool = true, in files: any CurlewCore.FileSystem = LocalFileSystem(), date: CurlewCore.HTTPDate = HTTPDate(SystemClock().date)) throws(CurlewCore.FileSystemError)

    public func cookies(for context: CookieContext) -> [Cookie]

    public func store(_ setCookies: [String], from context: CookieContext)

    public func save() throws(CurlewCore.FileSystemError)
}

public struct FileSink : TransferSink {

    public let path: String

    public init(path: String, access: CurlewStorage.AtomicFile.Access = .ordinary, durability: CurlewStorage.AtomicFile.Durability = .powerFailure, in fileSystem: any CurlewCore.FileSystem)

    public func open(_ head: CurlewCore.ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter

    public var delivery: CurlewCore.ResponseDelivery? { get }
}

public struct HSTS : CurlewCore.Interceptor {

    public let hosts: HSTSHosts

    public init(_ hosts: HSTSHosts = HSTSHosts())

    nonisolated(nonsending) public func intercept(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange, next: CurlewCore.Next) async throws -> CurlewCore.Response
}

final public class HSTSHosts : Sendable {

    public static let limit: Int

    public static let maximumFileBytes: Int

    public init()

    public init(_ path: String, in files: any CurlewCore.FileSystem = LocalFileSystem()) throws(CurlewCore.FileSystemError)

    public func save(at date: CurlewCore.HTTPDate = HTTPDate(SystemClock().date)) throws(CurlewCore.FileSystemError)

    public func contains(_ host: String, at date: CurlewCore.HTTPDate) -> Bool

    public func set(_ host: String, until end: CurlewCore.HTTPDate?, includesSubdomains: Bool = false)
}

extension HSTSHosts : CustomReflectable {

    public var customMirror: Mirror { get }
}

public enum IdempotencyKey {

    @Sendable public static func random() -> String

    public static func of(_ request: CurlewCore.Request) -> String?
}

public struct InterceptorChain : Sendable {

    public var application: [any CurlewCore.Interceptor]

    public var decoding: (any CurlewCore.Interceptor)?

    public var redirect: (any CurlewCore.Interceptor)?

    public var hsts: (any CurlewCore.Interceptor)?

    public var cookies: Cookies?

    public var proxy: (any CurlewCore.Interceptor)?

    public var authentication: (any CurlewCore.Interceptor)?

    public var coalescing: (any CurlewCore.Interceptor)?

    public var caching: (any CurlewCore.Interceptor)?

    public var serverTrust: (any CurlewCore.Interceptor)?

    public var perHop: [any CurlewCore.Interceptor]

    public init(_ application: [any CurlewCore.Interceptor] = [], decoding: (any CurlewCore.Interceptor)? = nil, redirect: (any CurlewCore.Interceptor)? = nil, hsts: (any CurlewCore.Interceptor)? = nil, cookies: Cookies? = nil, proxy: (any CurlewCore.Interceptor)? = nil, authentication: (any CurlewCore.Interceptor)? = nil, coalescing: (any CurlewCore.Interceptor)? = nil, caching: (any CurlewCore.Interceptor)? = nil, serverTrust: (any CurlewCore.Interceptor)? = nil, perHop: [any CurlewCore.Interceptor] = [])

    public var asks: CurlewCore.HookNames { get }
}

public struct Loader : Sendable {

    public let transport: any CurlewCore.Transport

    public init(_ transport: any CurlewCore.Transport, chain: InterceptorChain, options: CurlewCore.RequestOptions = RequestOptions(), settings: CurlewCore.ExchangeSettings = ExchangeSettings())

    public init(_ transport: any CurlewCore.Transport, interceptors: [any CurlewCore.Interceptor] = [], options: CurlewCore.RequestOptions = RequestOptions(), settings: CurlewCore.ExchangeSettings = ExchangeSettings())

    public var chain: InterceptorChain { get }

    public var options: CurlewCore.RequestOptions { get }

    public var settings: CurlewCore.ExchangeSettings { get }

    public func load(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange? = nil) async throws -> CurlewCore.Response

    nonisolated(nonsending) public func attempt(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange) async throws -> CurlewCore.Response
}

extension Loader : Hashable {

    public static func == (left: Loader, right: Loader) -> Bool

    public func hash(into hasher: inout Hasher)
}

extension Loader {

    public func data(for request: CurlewCore.Request, upTo limit: Int, in exchange: CurlewCore.Exchange? = nil) async throws -> (Data, CurlewCore.ResponseHead)

    @discardableResult
    public func download(_ request: CurlewCore.Request, to sink: any CurlewCore.BodySink, in exchange: CurlewCore.Exchange? = nil) async throws -> CurlewCore.ResponseHead
}

final public class MemoryCacheStore : CacheStore {

    public let secret: CacheSecret

    public let capacity: Int

    public let entryLimit: Int

    public init(capacity: Int = 16 << 20, entryLimit: Int? = nil)

    public var usedBytes: Int { get }

    public func entry(for key: CacheKey) -> CacheEntry?

    public func begin(expecting length: Int64?) -> (any CacheWriter)?

    public func replace(_ entry: CacheEntry, under key: CacheKey, with record: CacheRecord)

    public func remove(_ key: CacheKey)

    public func removeAll()
}

final public class MemoryCookieJar : CookieJar {

    public init(publicSuffixes: any PublicSuffixes = .system, limits: CookieLimits = CookieLimits())

    public var all: [Cookie] { get }

    public func cookies(for context: CookieContext) -> [Cookie]

    public func store(_ setCookies: [String], from context: CookieContext)

    @discardableResult
    public func put(_ cookie: Cookie, at date: CurlewCore.HTTPDate) -> Bool

    public func remove(where accepts: (Cookie) -> Bool)
}

public struct MemorySink : TransferSink {

    public let limit: Int

    public init(limit: Int)

    nonisolated(nonsending) public func open(_ head: CurlewCore.ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter

    public var delivery: CurlewCore.ResponseDelivery? { get }
}

public struct NetworkGate : CurlewCore.Interceptor {

    public enum Choice : Sendable, Hashable {

        case refuse

        case hold(limit: Duration? = nil)
    }

    public init(_ monitor: any CurlewCore.ReachabilityMonitoring, _ choice: NetworkGate.Choice = .refuse, whenWaiting: (@Sendable (CurlewCore.Request) -> Void)? = nil)

    public func intercept(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange, next: CurlewCore.Next) async throws -> CurlewCore.Response
}

public enum PausePolicy : Sendable, Hashable {

    case hold

    case release(after: Duration)
}

public struct PublicSuffixList : PublicSuffixes {

    public static let systemPaths: [String]

    public static let limit: Int

    public init(_ text: String)

    public init(contentsOf path: String, in files: any CurlewCore.FileSystem = LocalFileSystem()) throws(CurlewCore.FileSystemError)

    public static func system(in files: any CurlewCore.FileSystem = LocalFileSystem()) throws(CurlewCore.FileSystemError) -> PublicSuffixList

    public var count: Int { get }

    public func publicSuffix(of host: String) -> String
}

public protocol PublicSuffixes : Sendable {

    func publicSuffix(of host: String) -> String
}

extension PublicSuffixes {

    public func isPublicSuffix(_ host: String) -> Bool

    public func registrableDomain(of host: String) -> String?
}

extension PublicSuffixes where Self == TopLevelSuffixes {

    public static var topLevel: TopLevelSuffixes { get }
}

extension PublicSuffixes where Self == SystemPublicSuffixes {

    public static var system: SystemPublicSuffixes { get }
}

public struct Redirect : CurlewCore.Interceptor {

    public var limit: Int

    public var harmlessFields: Set<HTTPTypes.HTTPField.Name>

    public var credentialFields: Set<HTTPTypes.HTTPField.Name>

    public var carriedFields: Set<HTTPTypes.HTTPField.Name>

    public var carriesClientIdentity: Bool

    public var followsDowngrade: Bool

    public var detectsLoops: Bool

    public var refererPolicy: RefererPolicy

    public var discardedBytes: Int

    public var discardTime: Duration

    public init()

    public static let standardCredentialFields: Set<HTTPTypes.HTTPField.Name>

    public var asks: CurlewCore.HookNames { get }

    nonisolated(nonsending) public func intercept(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange, next: CurlewCore.Next) async throws -> CurlewCore.Response
}

extension Redirect {

    public static let standardHarmlessFields: Set<HTTPTypes.HTTPField.Name>
}

public enum RefererPolicy : String, Sendable, Hashable, CaseIterable {

    case noReferrer

    case noReferrerWhenDowngrade

    case sameOrigin

    case origin

    case strictOrigin

    case originWhenCrossOrigin

    case strictOriginWhenCrossOrigin

    case unsafeURL

    public init?(_ fields: HTTPTypes.HTTPFields)
}

final public class RequestRateLimit : CurlewCore.Interceptor {

    public init(perSecond: Double, burst: Int = 1, longestWait: Duration = .seconds(60))

    nonisolated(nonsending) public func intercept(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange, next: CurlewCore.Next) async throws -> CurlewCore.Response
}

final public class RetryBudget : Sendable {

    public init(capacity: Double = 10, perSuccess: Double = 0.1, perSecond: Double = 0.1)

    public func tokens(for origin: CurlewCore.Origin, at now: ContinuousClock.Instant) -> Double
}

public struct RetryConditions : Sendable, Hashable {

    public var statuses: Set<Int>

    public var kinds: Set<CurlewCore.NetworkError.Kind>?

    public var includesOtherErrors: Bool

    public init()

    public static let temporaryStatuses: Set<Int>

    public static let temporaryKinds: Set<CurlewCore.NetworkError.Kind>

    public static var anyFailure: RetryConditions { get }
}

public enum RetryDecision : Sendable, Hashable {

    case byPolicy

    case finish

    case again

    case retry(after: Duration)

    case restart
}

public enum RetryDelay : Sendable {

    case fixed(Duration)

    case exponential(first: Duration, limit: Duration)

    case custom(@Sendable (TransferAttempt) -> Duration)
}

public struct RetryPolicy : Sendable {

    public var limit: Int?

    public var startsOverWithProgress: Bool

    public var budget: Duration?

    public var budgetCountsWait: Bool

    public var delay: RetryDelay

    public var retryAfterLimit: Duration?

    public var conditions: RetryConditions

    public var repeatsUnsafe: Bool

    public var idempotencyKey: (@Sendable () -> String)?

    public var originBudget: RetryBudget?

    public var random: @Sendable () -> Double

    public init(limit: Int? = 3, delay: RetryDelay = .exponential(first: .milliseconds(500), limit: .seconds(30)), budget: Duration? = nil, retryAfterLimit: Duration? = .seconds(300))
}

extension RetryPolicy {

    public static func urlSessionManager(retryCount: Int, retryInterval: Duration, timeoutInterval: Duration = .zero, repeatsUnsafe: Bool = false) -> RetryPolicy

    public static func urlSessionManager(retryCount: Int, timeoutInterval: Duration = .zero, repeatsUnsafe: Bool = false, retryInterval: @escaping @Sendable (_ requestCount: Int) -> Duration) -> RetryPolicy
}

final public class RetryReply : Sendable {

    public func callAsFunction(_ again: Bool)

    deinit
}

public struct SelectingField : Sendable, Hashable {

    public var name: HTTPTypes.HTTPField.Name

    public var fingerprint: UInt64?

    public init(name: HTTPTypes.HTTPField.Name, fingerprint: UInt64?)
}

public struct StoredResponse : Sendable, Hashable {

    public var head: CurlewCore.ResponseHead

    public var requestedAt: Date

    public var receivedAt: Date

    public var selecting: [SelectingField]

    public var length: Int64

    public init(head: CurlewCore.ResponseHead, requestedAt: Date, receivedAt: Date, selecting: [SelectingField] = [], length: Int64 = 0)

    public func matches(_ fields: HTTPTypes.HTTPFields, secret: CacheSecret) -> Bool
}

public struct SystemPublicSuffixes : PublicSuffixes {

    public var list: PublicSuffixList? { get }

    public var problem: CurlewCore.FileSystemError? { get }

    public init(in files: any CurlewCore.FileSystem = LocalFileSystem())

    public func publicSuffix(of host: String) -> String
}

public struct TopLevelSuffixes : PublicSuffixes {

    public init()

    public func publicSuffix(of host: String) -> String
}

final public class Transfer<Value> : Sendable where Value : Sendable {

    public init(_ loader: consuming Loader, _ configuration: consuming Transfer<Value>.Configuration)

    deinit

    @discardableResult
    public func start() -> Bool

    @discardableResult
    public func pause() -> Bool

    @discardableResult
    public func resume() -> Bool

    @discardableResult
    public func cancel() -> Bool

    public var state: TransferState { get }

    public var outcome: TransferOutcome<Value>? { get }

    public var value: Value { get async throws }

    nonisolated(nonsending) public func run() async throws -> Value

    public func settled() async

    public func halted() async
}

extension Transfer {

    public struct Configuration : Sendable {

        public var request: @Sendable (AttemptContext) async throws -> CurlewCore.Request

        public var sink: any TransferSink

        public var validate: (@Sendable (CurlewCore.ResponseHead, CurlewCore.Request) async throws -> Void)?

        public var decode: @Sendable (TransferResult) async throws -> Value

        public var retry: RetryPolicy?

        public var shouldRetry: (@Sendable (TransferAttempt, Value?) async -> RetryDecision)?

        public var pausing: PausePolicy

        public var errorBodyLimit: Int

        public var settings: CurlewCore.ExchangeSettings?

        public init(request: @escaping @Sendable (AttemptContext) async throws -> CurlewCore.Request, to sink: any TransferSink, decode: @escaping @Sendable (TransferResult) async throws -> Value)

        public init(_ request: CurlewCore.Request, to sink: any TransferSink, settings: CurlewCore.ExchangeSettings? = nil, decode: @escaping @Sendable (TransferResult) async throws -> Value)
    }
}

extension Transfer where Value == TransferResult {

    public convenience init(_ loader: consuming Loader, _ request: CurlewCore.Request, to sink: any TransferSink, settings: CurlewCore.ExchangeSettings? = nil)
}

extension Transfer {

    public var request: CurlewCore.Request? { get }

    public var response: CurlewCore.ResponseHead? { get }

    public var error: (any Error)? { get }

    public var resumption: (any CurlewCore.ResumableHandle)? { get }

    public var attempts: [TransferAttempt] { get }

    public var attemptCount: Int { get }

    public var totalTime: Duration { get }

    public var metrics: [CurlewCore.ExchangeMetrics] { get }

    public var exchangeID: CurlewCore.Exchange.ID? { get }

    public var downloadProgress: TransferProgressSequence { get }

    public var uploadProgress: TransferProgressSequence { get }

    public subscript<Key>(key: Key.Type) -> Key.Value? where Key : CurlewCore.UserInfoKey

    public func onFinish(on executor: CurlewCore.CallbackExecutor, _ handler: @escaping @Sendable (TransferOutcome<Value>) -> Void)

    public func onStateChange(on executor: CurlewCore.CallbackExecutor, _ handler: @escaping @Sendable (TransferState) -> Void)
}

extension Transfer.Configuration {

    public mutating func askToRetry(_ ask: @escaping @Sendable (CurlewCore.ResponseHead?, Value?, (any Error)?, RetryReply) -> Void)
}

public struct TransferAttempt : Sendable {

    public var number: Int

    public var reason: AttemptReason

    public var began: ContinuousClock.Instant

    public var transferBegan: ContinuousClock.Instant

    public var ended: ContinuousClock.Instant?

    public var request: CurlewCore.Request?

    public var response: CurlewCore.ResponseHead?

    public var bytesReceived: Int64

    public var madeProgress: Bool

    public var error: (any Error)?

    public var isSinkFailure: Bool

    public var allowsRetry: Bool

    public var maybeProcessed: Bool

    public var retries: Int

    public var waited: Duration

    public var metrics: [CurlewCore.ExchangeMetrics]

    public init(number: Int, reason: AttemptReason, began: ContinuousClock.Instant, transferBegan: ContinuousClock.Instant, request: CurlewCore.Request? = nil, error: (any Error)? = nil)

    public var duration: Duration? { get }
}

public enum TransferContent : Sendable, Hashable {

    case data(Data)

    case file(path: String)

    case taken

    public var data: Data? { get }
}

extension TransferContent : CustomReflectable {

    public var customMirror: Mirror { get }
}

public enum TransferOutcome<Value> : Sendable where Value : Sendable {

    case success(Value)

    case failure(any Error)

    case cancelled

    public func get() throws -> Value

    public var error: (any Error)? { get }
}

public struct TransferProgressSequence : AsyncSequence, Sendable {

    public typealias Element = CurlewCore.TransferProgress

    public typealias Failure = Never

    public var current: CurlewCore.TransferProgress { get }

    public func observe(on executor: CurlewCore.CallbackExecutor, _ handler: @escaping @Sendable (CurlewCore.TransferProgress) -> Void)

    public func makeAsyncIterator() -> TransferProgressSequence.Iterator

    public struct Iterator : AsyncIteratorProtocol {

        public mutating func next() async -> CurlewCore.TransferProgress?
    }
}

public struct TransferResult : Sendable {

    public var head: CurlewCore.ResponseHead

    public var content: TransferContent

    public var trailers: HTTPTypes.HTTPFields?

    public init(head: CurlewCore.ResponseHead, content: TransferContent, trailers: HTTPTypes.HTTPFields? = nil)
}

extension TransferResult : CustomReflectable {

    public var customMirror: Mirror { get }
}

public protocol TransferSink : Sendable {

    nonisolated(nonsending) func prepare(_ request: CurlewCore.Request, _ attempt: AttemptContext) async throws -> CurlewCore.Request

    nonisolated(nonsending) func open(_ head: CurlewCore.ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter

    var delivery: CurlewCore.ResponseDelivery? { get }

    var release: (@Sendable () async -> (any CurlewCore.ResumableHandle)?)? { get }
}

extension TransferSink where Self == FileSink {

    public static func file(_ path: String, durability: CurlewStorage.AtomicFile.Durability = .powerFailure, in fileSystem: any CurlewCore.FileSystem) -> FileSink
}

extension TransferSink where Self == MemorySink {

    public static func memory(limit: Int) -> MemorySink
}

extension TransferSink {

    nonisolated(nonsending) public func prepare(_ request: CurlewCore.Request, _ attempt: AttemptContext) async throws -> CurlewCore.Request

    public var release: (@Sendable () async -> (any CurlewCore.ResumableHandle)?)? { get }

    public var delivery: CurlewCore.ResponseDelivery? { get }
}

extension TransferSink where Self == CustomSink {

    public static func custom(_ make: @escaping @Sendable (CurlewCore.ResponseHead, AttemptContext) async throws -> any CurlewCore.BodySink) -> CustomSink
}

public enum TransferState : String, Sendable, Hashable, CaseIterable {

    case ready

    case running

    case paused

    case finished
}

public enum TransferValidation {

    public static let errorBodyLimit: Int

    public static func successStatus(_ head: CurlewCore.ResponseHead) throws(CurlewCore.NetworkError)
}

public protocol TransferWriter : CurlewCore.BodySink {

    var wantsBody: Bool { get }

    var offset: Int64 { get }

    var total: Int64? { get }

    func receive(trailers: HTTPTypes.HTTPFields)

    nonisolated(nonsending) func finish() async throws -> TransferContent

    func abandon() async
}

extension TransferWriter {

    public var wantsBody: Bool { get }

    public var offset: Int64 { get }

    public var total: Int64? { get }

    public func receive(trailers: HTTPTypes.HTTPFields)

    public func abandon() async
}

public struct VariantSelector : Sendable, Hashable {

    public var names: [HTTPTypes.HTTPField.Name]

    public var nonce: UInt64

    public init(names: [HTTPTypes.HTTPField.Name], nonce: UInt64)
}

extension NetworkError.Kind {

    public static let wouldDeadlock: CurlewCore.NetworkError.Kind
}

extension Proxy {

    public init?(_ text: String)
}

extension NetworkError.Kind {

    public static let circuitOpen: CurlewCore.NetworkError.Kind
}
