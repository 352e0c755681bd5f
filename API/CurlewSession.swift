// swift-format-ignore-file
// The public interface of CurlewSession, written by `swift package api-text`.

import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewRequests
import CurlewSerialization
import FoundationEssentials
import Glibc
import HTTPTypes
import Synchronization

public class DataTask<Value> : SessionTask, @unchecked Sendable where Value : Sendable {

    final public var outcome: CurlewLoading.TransferOutcome<Value>? { get }

    final public var value: Value { get async throws }

    final public func onFinish(on executor: CurlewCore.CallbackExecutor, _ handler: @escaping @Sendable (CurlewLoading.TransferOutcome<Value>) -> Void)
}

public struct DecodedResponse<Value> : Sendable where Value : Sendable {

    public var value: Value

    public var head: CurlewCore.ResponseHead

    public var metrics: [CurlewCore.ExchangeMetrics]

    public var status: HTTPTypes.HTTPResponse.Status { get }

    public var headerFields: HTTPTypes.HTTPFields { get }

    public init(value: Value, head: CurlewCore.ResponseHead, metrics: [CurlewCore.ExchangeMetrics] = [])
}

final public class DownloadTask : SessionTask, AsyncSequence, @unchecked Sendable {

    public typealias Element = CurlewCore.TransferProgress

    public let target: CurlewDownload.DownloadTarget

    public var outcome: CurlewLoading.TransferOutcome<CurlewDownload.DownloadResult>? { get }

    public var value: CurlewDownload.DownloadResult { get async throws }

    public func makeAsyncIterator() -> SessionTask.ProgressIterator

    public func onFinish(on executor: CurlewCore.CallbackExecutor, _ handler: @escaping @Sendable (CurlewLoading.TransferOutcome<CurlewDownload.DownloadResult>) -> Void)

    public var download: CurlewDownload.DownloadState { get }

    public func cancelByProducingResumeData() async -> CurlewDownload.DownloadResumeData?

    public var resumeData: CurlewDownload.DownloadResumeData? { get }

    public func discard() async
}

public protocol Endpoint<Output> : Sendable {

    associatedtype Output : Sendable

    var method: HTTPTypes.HTTPRequest.Method { get }

    var path: String { get }

    var parameters: CurlewSerialization.Parameters? { get }

    var content: RequestContent { get }

    var headerFields: HTTPTypes.HTTPFields { get }

    var options: CurlewCore.RequestOptions { get }

    func serializer(for session: SessionConfiguration) throws -> any CurlewSerialization.ResponseSerializer<Self.Output>
}

extension Endpoint {

    public var method: HTTPTypes.HTTPRequest.Method { get }

    public var parameters: CurlewSerialization.Parameters? { get }

    public var content: RequestContent { get }

    public var headerFields: HTTPTypes.HTTPFields { get }

    public var options: CurlewCore.RequestOptions { get }
}

extension Endpoint where Self.Output : Decodable {

    public func serializer(for session: SessionConfiguration) throws -> any CurlewSerialization.ResponseSerializer<Self.Output>
}

extension Endpoint where Self.Output == Data {

    public func serializer(for session: SessionConfiguration) throws -> any CurlewSerialization.ResponseSerializer<Self.Output>
}

extension Endpoint where Self.Output == () {

    public func serializer(for session: SessionConfiguration) throws -> any CurlewSerialization.ResponseSerializer<Self.Output>
}

public enum EventStreamError : Error, Sendable, Hashable, CustomStringConvertible {

    case lineTooLong(LineTooLongError)

    case eventTooLarge(limit: Int)

    public var description: String { get }
}

extension EventStreamError : LocalizedError {

    public var errorDescription: String? { get }
}

public struct EventStreamLimits : Sendable, Hashable {

    public var maximumEventBytes: Int

    public var maximumLineBytes: Int

    public init()
}

public struct EventStreamOptions : Sendable {

    public var limits: EventStreamLimits

    public var lastEventID: String

    public var reconnectionTime: Duration

    public var shortestWait: Duration

    public var longestWait: Duration

    public var failureLimit: Int?

    public var temporaryStatuses: Set<Int>

    public var random: @Sendable () -> Double

    public init(failureLimit: Int? = 10)
}

public struct EventStreamParser : Sendable {

    public private(set) var lastEventID: String { get }

    public private(set) var reconnectionTime: Duration? { get }

    public init(lastEventID: String = "", limits: EventStreamLimits = EventStreamLimits())

    public mutating func append(_ bytes: Data)

    public mutating func next() throws(EventStreamError) -> ServerSentEvent?
}

public struct HTTPSession : Sendable {

    public init(_ configuration: SessionConfiguration)

    public init(_ transport: any CurlewCore.Transport)

    public init(_ transport: any CurlewCore.Transport, _ change: (inout SessionConfiguration) throws -> Void) rethrows

    public var configuration: SessionConfiguration { get }

    public func with(_ change: (inout SessionConfiguration) throws -> Void) rethrows -> HTTPSession

    public var loader: CurlewLoading.Loader { get throws }
}

extension HTTPSession {

    @discardableResult
    public func value<Output>(of endpoint: some Endpoint) async throws -> Output

    public func response<Output>(to endpoint: some Endpoint) async throws -> DecodedResponse<Output>
}

extension HTTPSession {

    public func get<Value>(_ path: String, parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions()) async throws -> Value where Value : Decodable, Value : Sendable

    public func get<Value>(_ path: String, parameters: KeyValuePairs<String, (any Encodable & Sendable)?>, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions()) async throws -> Value where Value : Decodable, Value : Sendable

    @discardableResult
    public func get<Serializer>(_ path: String, _ serializer: Serializer, parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions()) async throws -> Serializer.Output where Serializer : CurlewSerialization.ResponseSerializer

    @discardableResult
    public func get<Serializer>(_ path: String, _ serializer: Serializer, parameters: KeyValuePairs<String, (any Encodable & Sendable)?>, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions()) async throws -> Serializer.Output where Serializer : CurlewSerialization.ResponseSerializer

    public func delete<Value>(_ path: String, parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions()) async throws -> Value where Value : Decodable, Value : Sendable

    @discardableResult
    public func delete<Serializer>(_ path: String, _ serializer: Serializer = DataResponseSerializer(), parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions()) async throws -> Serializer.Output where Serializer : CurlewSerialization.ResponseSerializer

    @discardableResult
    public func head(_ path: String, parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions()) async throws -> CurlewCore.ResponseHead
}

extension HTTPSession {

    public func post<Value>(_ path: String, _ content: RequestContent = .none, parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions()) async throws -> Value where Value : Decodable, Value : Sendable

    @discardableResult
    public func post<Serializer>(_ path: String, _ content: RequestContent = .none, _ serializer: Serializer = DataResponseSerializer(), parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions()) async throws -> Serializer.Output where Serializer : CurlewSerialization.ResponseSerializer

    public func put<Value>(_ path: String, _ content: RequestContent = .none, parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions()) async throws -> Value where Value : Decodable, Value : Sendable

    @discardableResult
    public func put<Serializer>(_ path: String, _ content: RequestContent = .none, _ serializer: Serializer = DataResponseSerializer(), parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions()) async throws -> Serializer.Output where Serializer : CurlewSerialization.ResponseSerializer

    public func patch<Value>(_ path: String, _ content: RequestContent = .none, parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions()) async throws -> Value where Value : Decodable, Value : Sendable

    @discardableResult
    public func patch<Serializer>(_ path: String, _ content: RequestContent = .none, _ serializer: Serializer = DataResponseSerializer(), parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions()) async throws -> Serializer.Output where Serializer : CurlewSerialization.ResponseSerializer
}

extension HTTPSession {

    public func request<Value>(_ method: HTTPTypes.HTTPRequest.Method, _ path: String, _ content: RequestContent = .none, parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions()) async throws -> Value where Value : Decodable, Value : Sendable

    @discardableResult
    public func request<Serializer>(_ method: HTTPTypes.HTTPRequest.Method, _ path: String, _ content: RequestContent = .none, _ serializer: Serializer = DataResponseSerializer(), parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions()) async throws -> Serializer.Output where Serializer : CurlewSerialization.ResponseSerializer

    public func response<Value>(_ method: HTTPTypes.HTTPRequest.Method, _ path: String, _ content: RequestContent = .none, as type: Value.Type, parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions()) async throws -> DecodedResponse<Value> where Value : Decodable, Value : Sendable

    public func response<Serializer>(_ method: HTTPTypes.HTTPRequest.Method, _ path: String, _ content: RequestContent = .none, _ serializer: Serializer = DataResponseSerializer(), parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions()) async throws -> DecodedResponse<Serializer.Output> where Serializer : CurlewSerialization.ResponseSerializer
}

extension HTTPSession {

    @discardableResult
    public func warmUp(_ path: String = "", connections: Int = 1) async -> Int
}

extension HTTPSession {

    public func pages<Value>(_ path: String, as type: Value.Type, parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), limit: Int = 1000, next: @escaping PageSequence<CurlewSerialization.CodingResponseSerializer<Value>>.Rule = { WebLink.target("next", of: $0.head) }) -> PageSequence<CurlewSerialization.CodingResponseSerializer<Value>> where Value : Decodable, Value : Sendable

    public func pages<Serializer>(_ path: String, _ serializer: Serializer, parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), limit: Int = 1000, next: @escaping PageSequence<Serializer>.Rule = { WebLink.target("next", of: $0.head) }) -> PageSequence<Serializer> where Serializer : CurlewSerialization.ResponseSerializer
}

extension HTTPSession {

    public func stream(_ method: HTTPTypes.HTTPRequest.Method, _ path: String, _ content: RequestContent = .none, parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions()) async throws -> CurlewCore.Response

    public func bytes(_ path: String, method: HTTPTypes.HTTPRequest.Method = .get, content: RequestContent = .none, parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions()) -> ResponseChunks

    public func lines(_ path: String, method: HTTPTypes.HTTPRequest.Method = .get, content: RequestContent = .none, parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions()) -> LineSequence<ResponseChunks>

    public func serverSentEvents(_ path: String, method: HTTPTypes.HTTPRequest.Method = .get, content: RequestContent = .none, parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), events: EventStreamOptions = EventStreamOptions()) -> ServerSentEvents
}

extension HTTPSession {

    public func dataTask<Serializer>(_ request: CurlewCore.Request, _ serializer: Serializer = DataResponseSerializer(), hooks: SessionTaskHooks = SessionTaskHooks(), _ change: (inout CurlewLoading.Transfer<Serializer.Output>.Configuration) throws -> Void = { _ in }) -> DataTask<Serializer.Output> where Serializer : CurlewSerialization.ResponseSerializer

    public func dataTask<Serializer>(_ serializer: Serializer, hooks: SessionTaskHooks = SessionTaskHooks(), _ change: (inout CurlewLoading.Transfer<Serializer.Output>.Configuration) throws -> Void = { _ in }, building request: @escaping @Sendable (CurlewLoading.AttemptContext) async throws -> CurlewCore.Request) -> DataTask<Serializer.Output> where Serializer : CurlewSerialization.ResponseSerializer

    public func dataTask<Serializer>(_ path: String, method: HTTPTypes.HTTPRequest.Method = .get, _ content: RequestContent = .none, _ serializer: Serializer = DataResponseSerializer(), parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), hooks: SessionTaskHooks = SessionTaskHooks(), _ change: (inout CurlewLoading.Transfer<Serializer.Output>.Configuration) throws -> Void = { _ in }) -> DataTask<Serializer.Output> where Serializer : CurlewSerialization.ResponseSerializer

    public func dataTask<Value>(_ path: String, method: HTTPTypes.HTTPRequest.Method = .get, _ content: RequestContent = .none, as type: Value.Type, parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), hooks: SessionTaskHooks = SessionTaskHooks(), _ change: (inout CurlewLoading.Transfer<Value>.Configuration) throws -> Void = { _ in }) -> DataTask<Value> where Value : Decodable, Value : Sendable
}

extension HTTPSession {

    public func upload<Serializer>(_ request: CurlewCore.Request, from body: CurlewCore.Body? = nil, _ serializer: Serializer = DataResponseSerializer(), hooks: SessionTaskHooks = SessionTaskHooks(), _ change: (inout CurlewLoading.Transfer<Serializer.Output>.Configuration) throws -> Void = { _ in }) -> UploadTask<Serializer.Output> where Serializer : CurlewSerialization.ResponseSerializer

    public func upload<Serializer>(_ content: RequestContent, to path: String, method: HTTPTypes.HTTPRequest.Method = .post, _ serializer: Serializer = DataResponseSerializer(), parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), hooks: SessionTaskHooks = SessionTaskHooks(), _ change: (inout CurlewLoading.Transfer<Serializer.Output>.Configuration) throws -> Void = { _ in }) -> UploadTask<Serializer.Output> where Serializer : CurlewSerialization.ResponseSerializer

    public func upload<Value>(_ content: RequestContent, to path: String, method: HTTPTypes.HTTPRequest.Method = .post, as type: Value.Type, parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), hooks: SessionTaskHooks = SessionTaskHooks(), _ change: (inout CurlewLoading.Transfer<Value>.Configuration) throws -> Void = { _ in }) -> UploadTask<Value> where Value : Decodable, Value : Sendable
}

extension HTTPSession {

    public func download(_ path: String, to file: String, parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), _ change: (inout CurlewDownload.DownloadConfiguration) throws -> Void = { _ in }) -> DownloadTask

    public func download(_ path: String, to file: URL, parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), _ change: (inout CurlewDownload.DownloadConfiguration) throws -> Void = { _ in }) -> DownloadTask

    public func download(_ path: String, to target: CurlewDownload.DownloadTarget, parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), hooks: SessionTaskHooks = SessionTaskHooks(), _ change: (inout CurlewDownload.DownloadConfiguration) throws -> Void = { _ in }) -> DownloadTask

    public func download(_ request: CurlewCore.Request, to target: CurlewDownload.DownloadTarget, hooks: SessionTaskHooks = SessionTaskHooks(), _ change: (inout CurlewDownload.DownloadConfiguration) throws -> Void = { _ in }) -> DownloadTask

    public func download(resuming data: CurlewDownload.DownloadResumeData, with request: CurlewCore.Request? = nil, to target: CurlewDownload.DownloadTarget, hooks: SessionTaskHooks = SessionTaskHooks(), _ change: (inout CurlewDownload.DownloadConfiguration) throws -> Void = { _ in }) -> DownloadTask
}

public struct LineOptions : Sendable, Hashable {

    public var maximumBytes: Int

    public init()
}

public struct LineSequence<Base> : AsyncSequence where Base : AsyncSequence, Base.Element == Data {

    public typealias Element = String

    public func makeAsyncIterator() -> LineSequence<Base>.Iterator

    public struct Iterator : AsyncIteratorProtocol {

        public mutating func next() async throws -> String?

        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> String?
    }
}

extension LineSequence : Sendable where Base : Sendable {
}

public struct LineSplitter : Sendable {

    public private(set) var count: Int { get }

    public init(maximumBytes: Int = 1 << 20)

    public mutating func append(_ bytes: Data)

    public mutating func finish()

    public mutating func next() throws(LineTooLongError) -> Data?
}

public struct LineTooLongError : Error, Sendable, Hashable, CustomStringConvertible {

    public let number: Int

    public let limit: Int

    public var description: String { get }
}

extension LineTooLongError : LocalizedError {

    public var errorDescription: String? { get }
}

public struct PageSequence<Serializer> : AsyncSequence, Sendable where Serializer : CurlewSerialization.ResponseSerializer {

    public typealias Element = DecodedResponse<Serializer.Output>

    public typealias Rule = @Sendable (PageSequence<Serializer>.Element) throws -> String?

    public func makeAsyncIterator() -> PageSequence<Serializer>.Iterator

    public struct Iterator : AsyncIteratorProtocol {

        public mutating func next() async throws -> PageSequence<Serializer>.Element?
    }
}

public struct ProblemDetails : Sendable, Hashable {

    public var type: String

    public var title: String?

    public var status: Int?

    public var detail: String?

    public var instance: String?

    public init()
}

extension ProblemDetails : Codable {

    public init(from decoder: any Decoder) throws

    public func encode(to encoder: any Encoder) throws
}

public struct RequestContent : Sendable {

    public typealias Write = @Sendable (_ request: CurlewCore.Request, _ session: SessionConfiguration) throws -> CurlewCore.Request

    public init(_ write: @escaping RequestContent.Write)

    public func written(to request: CurlewCore.Request, _ session: SessionConfiguration) throws -> CurlewCore.Request

    public static let none: RequestContent

    public static func bytes(_ bytes: Data, as mediaType: CurlewCore.MediaType = .octetStream) -> RequestContent

    public static func text(_ text: String, as mediaType: CurlewCore.MediaType = .plainText) -> RequestContent

    public static func file(_ path: String, as mediaType: CurlewCore.MediaType? = nil) -> RequestContent

    public static func file(_ url: URL, as mediaType: CurlewCore.MediaType? = nil) -> RequestContent

    public static func body(_ body: CurlewCore.Body, as mediaType: CurlewCore.MediaType = .octetStream) -> RequestContent

    public static func encoded(_ value: some Encodable & Sendable) -> RequestContent

    public static func encoded(_ value: some Encodable & Sendable, as name: String) -> RequestContent

    public static func encoded(_ value: some Encodable & Sendable, as mediaType: CurlewCore.MediaType) -> RequestContent

    public static func encoded(_ value: some Encodable & Sendable, by coding: some CurlewSerialization.ValueCoding) -> RequestContent

    public static func form(_ fields: CurlewSerialization.Parameters) -> RequestContent

    public static func form(_ fields: KeyValuePairs<String, (any Encodable & Sendable)?>) -> RequestContent

    public static func form(encoding value: some Encodable & Sendable) -> RequestContent

    public static func multipart(_ fields: CurlewSerialization.Parameters? = nil, throttle: CurlewSerialization.MultipartForm.Throttle? = nil, _ build: @escaping @Sendable (inout CurlewSerialization.MultipartForm) throws -> Void = { _ in }) -> RequestContent
}

public struct ResponseChunks : AsyncSequence, Sendable {

    public typealias Element = Data

    public func makeAsyncIterator() -> ResponseChunks.Iterator

    public struct Iterator : AsyncIteratorProtocol {

        public mutating func next() async throws -> Data?
    }
}

public enum ResponseDisposition : Sendable {

    case allow

    case cancel

    case becomeDownload(CurlewDownload.DownloadTarget, CurlewDownload.PartialSink.Options = PartialSink.Options())
}

public struct ServerSentEvent : Sendable, Hashable {

    public var type: String

    public var data: String

    public var lastEventID: String

    public init(type: String = "message", data: String, lastEventID: String = "")

    public func decoded<Value>(as type: Value.Type, by coding: (any CurlewSerialization.ValueCoding)? = nil) throws(CurlewCore.NetworkError) -> Value where Value : Decodable

    public static func == (left: ServerSentEvent, right: ServerSentEvent) -> Bool

    public func hash(into hasher: inout Hasher)
}

extension ServerSentEvent : CustomReflectable {

    public var customMirror: Mirror { get }
}

public struct ServerSentEvents : AsyncSequence, Sendable {

    public typealias Element = ServerSentEvent

    public func makeAsyncIterator() -> ServerSentEvents.Iterator

    public struct Iterator : AsyncIteratorProtocol {

        public mutating func next() async throws -> ServerSentEvent?
    }
}

public struct SessionConfiguration : Sendable {

    public var transport: SessionTransport

    public var baseURL: CurlewRequests.BaseURL?

    public var chain: CurlewLoading.InterceptorChain

    public var headerFields: HTTPTypes.HTTPFields

    public var secretOrigins: Set<CurlewCore.Origin>

    public var options: CurlewCore.RequestOptions

    public var settings: CurlewCore.ExchangeSettings

    public var retry: CurlewLoading.RetryPolicy?

    public var requestSerializer: any CurlewSerialization.RequestSerializer

    public var formats: CurlewSerialization.FormatRegistry

    public var lines: LineOptions

    public init(_ transport: SessionTransport)
}

extension SessionConfiguration {

    public func with(_ change: (inout SessionConfiguration) throws -> Void) rethrows -> SessionConfiguration
}

extension SessionConfiguration {

    public var coding: (any CurlewSerialization.ValueCoding)?
}

extension SessionConfiguration {

    public mutating func authenticate(user: String, password: String) throws(CurlewCore.NetworkError)
}

extension SessionConfiguration : CustomReflectable {

    public var customMirror: Mirror { get }
}

public class SessionTask : @unchecked Sendable {

    public enum Kind : String, Sendable, Hashable, CaseIterable {

        case data

        case upload

        case download
    }

    deinit

    final public var identifier: Int { get }

    final public var kind: SessionTask.Kind { get }

    final public var state: SessionTaskState { get }

    @discardableResult
    final public func resume() -> Bool

    @discardableResult
    final public func suspend() -> Bool

    @discardableResult
    final public func cancel() -> Bool

    final public func halted() async

    final public func settled() async

    final public func onStateChange(on executor: CurlewCore.CallbackExecutor, _ handler: @escaping @Sendable (SessionTaskState) -> Void)

    final public func onCompletion(on executor: CurlewCore.CallbackExecutor, _ handler: @escaping @Sendable ((any Error)?) -> Void)
}

extension SessionTask : Hashable, Identifiable {

    final public var id: Int { get }

    public static func == (left: SessionTask, right: SessionTask) -> Bool

    final public func hash(into hasher: inout Hasher)
}

extension SessionTask : CustomStringConvertible {

    final public var description: String { get }
}

extension SessionTask {

    final public var originalRequest: CurlewCore.Request? { get }

    final public var currentRequest: CurlewCore.Request? { get }

    final public var response: CurlewCore.ResponseHead? { get }

    final public var error: (any Error)? { get }

    final public var uploadProgress: CurlewLoading.TransferProgressSequence? { get }

    final public var downloadProgress: CurlewLoading.TransferProgressSequence? { get }

    final public subscript<Key>(key: Key.Type) -> Key.Value? where Key : CurlewCore.UserInfoKey

    final public var priority: CurlewCore.RequestPriority?

    final public var metrics: [CurlewCore.ExchangeMetrics] { get }

    final public var attempts: [CurlewLoading.TransferAttempt] { get }

    final public var attemptCount: Int

    final public var totalTime: Duration
}

extension SessionTask {

    public struct ProgressIterator : AsyncIteratorProtocol {

        public mutating func next() async throws -> CurlewCore.TransferProgress?
    }
}

public struct SessionTaskHooks : Sendable {

    public var redirect: (@Sendable (SessionTask, _ proposed: CurlewCore.Request, _ response: CurlewCore.ResponseHead?) async throws -> CurlewCore.Request?)?

    public var canAnswer: (@Sendable (SessionTask, CurlewCore.ProtectionSpace) async -> Bool)?

    public var mayUseStoredCredentials: (@Sendable (SessionTask, CurlewCore.ProtectionSpace) async -> Bool)?

    public var challenge: (@Sendable (SessionTask, CurlewCore.Challenge) async -> CurlewCore.ChallengeAnswer)?

    public var newBody: (@Sendable (SessionTask, CurlewCore.Request) async throws -> CurlewCore.Body?)?

    public var storeInCache: (@Sendable (SessionTask, CurlewCore.ResponseHead) async -> CurlewCore.CacheAnswer)?

    public var willBegin: (@Sendable (SessionTask, CurlewLoading.AttemptContext) async throws -> Void)?

    public var didReceiveResponse: (@Sendable (SessionTask, CurlewCore.ResponseHead) async throws -> ResponseDisposition)?

    public var didBecomeDownload: (@Sendable (SessionTask, DownloadTask) -> Void)?

    public var didReceiveData: (@Sendable (SessionTask, Data) async throws -> Void)?

    public var didSendBodyData: (@Sendable (SessionTask, _ recent: Int64, _ sent: Int64, _ expected: Int64?) -> Void)?

    public var didResumeDownload: (@Sendable (DownloadTask, _ offset: Int64, _ total: Int64?) -> Void)?

    public var didWriteData: (@Sendable (DownloadTask, _ recent: Int64, _ written: Int64, _ total: Int64?) -> Void)?

    public var didChangeState: (@Sendable (SessionTask, SessionTaskState) -> Void)?

    public var didCollectMetrics: (@Sendable (SessionTask, [CurlewCore.ExchangeMetrics]) -> Void)?

    public var didFinish: (@Sendable (SessionTask, (any Error)?) -> Void)?

    public init()
}

public enum SessionTaskState : String, Sendable, Hashable, CaseIterable {

    case suspended

    case running

    case canceling

    case completed
}

final public class SessionTransport : Sendable {

    deinit

    public static func shared(_ transport: any CurlewCore.Transport) -> SessionTransport

    public static func made(_ make: @escaping @Sendable () throws -> any CurlewCore.Transport) -> SessionTransport

    public var isMade: Bool { get }

    public func started() throws -> any CurlewCore.Transport
}

final public class UploadTask<Value> : DataTask<Value>, AsyncSequence, @unchecked Sendable where Value : Sendable {

    public typealias Element = CurlewCore.TransferProgress

    public func makeAsyncIterator() -> SessionTask.ProgressIterator
}

extension HTTPFields {

    public static func program(_ name: String? = nil, version: String? = nil, languages: [String]? = nil) -> HTTPTypes.HTTPFields
}

extension NetworkError {

    public func decodedBody<Value>(as type: Value.Type) -> Value? where Value : Decodable
}

extension NetworkError.Kind {

    public static let lineTooLong: CurlewCore.NetworkError.Kind
}

extension AsyncSequence where Self.Element == Data {

    public func lines(_ options: LineOptions = LineOptions()) -> LineSequence<Self>
}

extension NetworkError.Kind {

    public static let eventTooLarge: CurlewCore.NetworkError.Kind
}

extension NetworkError.Kind {

    public static let becameDownload: CurlewCore.NetworkError.Kind
}
