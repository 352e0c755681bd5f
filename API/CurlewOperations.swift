// swift-format-ignore-file
// The public interface of CurlewOperations, written by `swift package api-text`.

import CurlewBatch
import CurlewCore
import CurlewDownload
import CurlewJSON
import CurlewLoading
import CurlewRequests
import CurlewSerialization
import CurlewStorage
import Dispatch
import Foundation
import HTTPTypes
import Synchronization

open class DownloadOperation : URLConnectionOperation, @unchecked Sendable {

    public init(_ request: CurlewCore.Request, to target: CurlewDownload.DownloadTarget, over loader: CurlewLoading.Loader, on disk: CurlewDownload.DownloadDisk)

    public var configuration: CurlewDownload.DownloadConfiguration

    public var file: CurlewDownload.DownloadResult? { get }

    public func cancelAndDiscard() async

    public func setCompletionBlock(success: (@Sendable (DownloadOperation, CurlewDownload.DownloadResult) -> Void)?, failure: (@Sendable (DownloadOperation, any Error) -> Void)?)

    override open func copied() -> DownloadOperation
}

final public class GracePeriod : ProcessLifecycle {

    public init(_ length: Duration, clock: any CurlewCore.NetworkClock = SystemClock())

    public var workCount: Int { get }

    public func begin(_ expiration: @escaping @Sendable () -> Void) -> any ProcessWork

    public func expire() async
}

open class HTTPRequestOperation : URLConnectionOperation, @unchecked Sendable {

    public init(_ request: CurlewCore.Request, over loader: CurlewLoading.Loader, _ serializer: some CurlewSerialization.ResponseSerializer)

    override public convenience init(_ request: CurlewCore.Request, over loader: CurlewLoading.Loader)

    public var responseSerializer: any CurlewSerialization.ResponseSerializer

    public var serializerName: CurlewRequests.ComponentName<any CurlewSerialization.ResponseSerializer>?

    public var responseObject: (any Sendable)? { get }

    public func responseObject<Value>(as type: Value.Type) throws -> Value?

    public var responseSerializationError: (any Error)? { get }

    public func setCompletionBlock(success: (@Sendable (HTTPRequestOperation, any Sendable) -> Void)?, failure: (@Sendable (HTTPRequestOperation, any Error) -> Void)?)

    override open func copied() -> HTTPRequestOperation
}

open class HTTPRequestOperationManager : @unchecked Sendable, CustomStringConvertible {

    public typealias Success = @Sendable (HTTPRequestOperation, any Sendable) -> Void

    public typealias Failure = @Sendable (HTTPRequestOperation?, any Error) -> Void

    public let loader: CurlewLoading.Loader

    public let operationQueue: OperationQueue

    required public init(baseURL: CurlewRequests.BaseURL? = nil, over loader: CurlewLoading.Loader)

    public var baseURL: CurlewRequests.BaseURL? { get }

    public var requestSerializer: any CurlewSerialization.RequestSerializer

    public var headerFields: HTTPTypes.HTTPFields

    public var secretOrigins: Set<CurlewCore.Origin>

    public var responseSerializer: any CurlewSerialization.ResponseSerializer

    public var credential: CurlewCore.Credential?

    public var securityPolicy: (any CurlewCore.ServerTrustEvaluating)?

    public var shouldUseCredentialStorage: Bool

    public var completionQueue: DispatchQueue?

    public var completionGroup: DispatchGroup?

    public var reachability: (any CurlewCore.ReachabilityMonitoring)?

    open var description: String { get }

    open func operation(for request: CurlewCore.Request, success: HTTPRequestOperationManager.Success?, failure: HTTPRequestOperationManager.Failure?) -> HTTPRequestOperation

    @discardableResult
    public func send(_ method: HTTPTypes.HTTPRequest.Method, _ path: String, _ parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], success: HTTPRequestOperationManager.Success? = nil, failure: HTTPRequestOperationManager.Failure? = nil) -> HTTPRequestOperation?

    @discardableResult
    public func send(_ method: HTTPTypes.HTTPRequest.Method, _ path: String, _ parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], multipart build: @escaping @Sendable (inout CurlewSerialization.MultipartForm) throws -> Void, success: HTTPRequestOperationManager.Success? = nil, failure: HTTPRequestOperationManager.Failure? = nil) -> HTTPRequestOperation?

    @discardableResult
    public func cancelOperations(method: HTTPTypes.HTTPRequest.Method? = nil, path: String? = nil) throws(CurlewCore.NetworkError) -> [HTTPRequestOperation]

    open func copied() -> Self
}

extension HTTPRequestOperationManager {

    @discardableResult
    public func get(_ path: String, _ parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], success: HTTPRequestOperationManager.Success? = nil, failure: HTTPRequestOperationManager.Failure? = nil) -> HTTPRequestOperation?

    @discardableResult
    public func head(_ path: String, _ parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], success: HTTPRequestOperationManager.Success? = nil, failure: HTTPRequestOperationManager.Failure? = nil) -> HTTPRequestOperation?

    @discardableResult
    public func post(_ path: String, _ parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], success: HTTPRequestOperationManager.Success? = nil, failure: HTTPRequestOperationManager.Failure? = nil) -> HTTPRequestOperation?

    @discardableResult
    public func post(_ path: String, _ parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], multipart build: @escaping @Sendable (inout CurlewSerialization.MultipartForm) throws -> Void, success: HTTPRequestOperationManager.Success? = nil, failure: HTTPRequestOperationManager.Failure? = nil) -> HTTPRequestOperation?

    @discardableResult
    public func put(_ path: String, _ parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], success: HTTPRequestOperationManager.Success? = nil, failure: HTTPRequestOperationManager.Failure? = nil) -> HTTPRequestOperation?

    @discardableResult
    public func patch(_ path: String, _ parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], success: HTTPRequestOperationManager.Success? = nil, failure: HTTPRequestOperationManager.Failure? = nil) -> HTTPRequestOperation?

    @discardableResult
    public func delete(_ path: String, _ parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], success: HTTPRequestOperationManager.Success? = nil, failure: HTTPRequestOperationManager.Failure? = nil) -> HTTPRequestOperation?
}

final public class InputStreamChunks : CurlewCore.BodyChunks {

    public init(_ stream: sending InputStream)

    public func next() async throws -> Data?
}

public struct OperationArchive : Sendable, Codable {

    public enum Kind : String, Sendable, Codable, CaseIterable {

        case connection

        case http
    }

    public static let version: Int

    public let kind: OperationArchive.Kind

    public let state: OperationState

    public let request: CurlewCore.RequestArchive

    public let loader: CurlewRequests.ComponentName<CurlewLoading.Loader>

    public let serializer: CurlewRequests.ComponentName<any CurlewSerialization.ResponseSerializer>?

    public let securityPolicy: CurlewRequests.ComponentName<any CurlewCore.ServerTrustEvaluating>?

    public let usesCredentialStorage: Bool

    public init(_ operation: URLConnectionOperation, names: CurlewRequests.ComponentNames, securityPolicy: CurlewRequests.ComponentName<any CurlewCore.ServerTrustEvaluating>? = nil) throws(CurlewCore.NetworkError)

    public func operation(names: CurlewRequests.ComponentNames) throws(CurlewCore.NetworkError) -> URLConnectionOperation

    public init(from decoder: any Decoder) throws

    public func encode(to encoder: any Encoder) throws
}

public enum OperationCall : String, Sendable, Hashable, CaseIterable {

    case start

    case pause

    case resume

    case cancel

    case wait
}

public enum OperationEvent : Sendable, Hashable {

    case started

    case paused

    case resumed

    case finished

    case refused(OperationCall, in: OperationState)
}

public struct OperationManagerArchive : Sendable, Codable {

    public static let version: Int

    public let usesCredentialStorage: Bool

    public let loader: CurlewRequests.ComponentName<CurlewLoading.Loader>

    public var baseURL: CurlewRequests.BaseURL? { get }

    public var requestSerializer: CurlewRequests.ComponentName<any CurlewSerialization.RequestSerializer>? { get }

    public var responseSerializer: CurlewRequests.ComponentName<any CurlewSerialization.ResponseSerializer>? { get }

    public var securityPolicy: CurlewRequests.ComponentName<any CurlewCore.ServerTrustEvaluating>? { get }

    public var headerFields: HTTPTypes.HTTPFields { get }

    public var omittedSecrets: [String] { get }

    public init(_ manager: HTTPRequestOperationManager, names: CurlewRequests.ComponentNames, requestSerializer: CurlewRequests.ComponentName<any CurlewSerialization.RequestSerializer>? = nil, responseSerializer: CurlewRequests.ComponentName<any CurlewSerialization.ResponseSerializer>? = nil, securityPolicy: CurlewRequests.ComponentName<any CurlewCore.ServerTrustEvaluating>? = nil) throws(CurlewCore.NetworkError)

    public func manager<Manager>(as type: Manager.Type = HTTPRequestOperationManager.self, names: CurlewRequests.ComponentNames) throws(CurlewCore.NetworkError) -> Manager where Manager : HTTPRequestOperationManager

    public init(from decoder: any Decoder) throws

    public func encode(to encoder: any Encoder) throws
}

public enum OperationState : String, Sendable, Hashable, CaseIterable {

    case ready

    case executing

    case paused

    case finished
}

final public class OutputStreamSink : CurlewLoading.TransferSink {

    public init(_ stream: sending OutputStream)

    public var bytesWritten: Int64 { get }

    public var delivery: CurlewCore.ResponseDelivery? { get }

    public func open(_ head: CurlewCore.ResponseHead, _ attempt: CurlewLoading.AttemptContext) async throws -> any CurlewLoading.TransferWriter
}

public protocol ProcessLifecycle : Sendable {

    func begin(_ expiration: @escaping @Sendable () -> Void) -> any ProcessWork
}

public protocol ProcessWork : Sendable {

    func end()
}

open class URLConnectionOperation : Operation, @unchecked Sendable {

    public static let defaultResponseLimit: Int

    public let loader: CurlewLoading.Loader

    public init(_ request: CurlewCore.Request, over loader: CurlewLoading.Loader)

    deinit

    override open var isAsynchronous: Bool { get }

    override open var isReady: Bool { get }

    override open var isExecuting: Bool { get }

    override open var isFinished: Bool { get }

    override open var isCancelled: Bool { get }

    public var isPaused: Bool { get }

    public var operationState: OperationState { get }

    override open func start()

    @discardableResult
    public func pause() -> Bool

    @discardableResult
    public func resume() -> Bool

    override open func cancel()

    override open func waitUntilFinished()

    override open var completionBlock: (@Sendable () -> Void)?

    override open var description: String { get }

    open func copied() -> URLConnectionOperation

    open func willSend(_ request: CurlewCore.Request, redirectedBy response: CurlewCore.ResponseHead?) -> CurlewCore.Request?

    open func canAuthenticate(against space: CurlewCore.ProtectionSpace) -> Bool

    open func mayUseStoredCredentials(for space: CurlewCore.ProtectionSpace) -> Bool

    open func didReceive(_ challenge: CurlewCore.Challenge, reply: CurlewLoading.ChallengeReply)

    open func didCancel(_ challenge: CurlewCore.Challenge)

    open func didSendBodyData(_ bytes: Int64, total: Int64, expected: Int64?)

    open func needNewBody(for request: CurlewCore.Request) -> CurlewCore.Body?

    open func didReceive(_ response: CurlewCore.ResponseHead)

    open func didReceive(_ data: Data)

    open func willCache(_ response: CurlewCore.ResponseHead) -> CurlewCore.CacheAnswer

    open func didFinishLoading()

    open func didFail(with error: any Error)
}

extension URLConnectionOperation {

    @discardableResult
    public func continueAtProcessEnd(under lifecycle: any ProcessLifecycle, expiration: (@Sendable () -> Void)? = nil) -> Bool
}

extension URLConnectionOperation {

    public static func batchOfRequestOperations(_ operations: [URLConnectionOperation], on queue: DispatchQueue = .main, progress: (@Sendable (_ finished: Int, _ total: Int) -> Void)? = nil, completion: (@Sendable ([URLConnectionOperation]) -> Void)? = nil) throws(CurlewCore.NetworkError) -> [Operation]
}

extension URLConnectionOperation {

    public var request: CurlewCore.Request { get }

    public var currentRequest: CurlewCore.Request? { get }

    public var response: CurlewCore.ResponseHead? { get }

    public var error: (any Error)? { get }

    public var responseData: Data? { get }

    public var responseStringEncoding: CurlewCore.Charset { get }

    public var responseString: String? { get }

    public var downloadProgress: CurlewCore.TransferProgress { get }

    public var uploadProgress: CurlewCore.TransferProgress { get }

    public var attempts: [CurlewLoading.TransferAttempt] { get }

    public var metrics: [CurlewCore.ExchangeMetrics] { get }

    public var value: any Sendable { get async throws }

    public func value<Value>(as type: Value.Type) async throws -> Value where Value : Sendable

    public func halted() async

    public func settled() async
}

extension URLConnectionOperation {

    public var completionQueue: DispatchQueue?

    public var completionGroup: DispatchGroup?

    public var callbackExecutor: CurlewCore.CallbackExecutor?

    public var runLoopModes: Set<RunLoop.Mode>

    public subscript<Key>(key: Key.Type) -> Key.Value? where Key : CurlewCore.UserInfoKey

    public var responseLimit: Int

    public var sink: (any CurlewLoading.TransferSink)?

    public var postsNotifications: Bool

    public var shouldUseCredentialStorage: Bool

    public var credential: CurlewCore.Credential?

    public var securityPolicy: (any CurlewCore.ServerTrustEvaluating)?

    public func setEventBlock(_ block: (@Sendable (OperationEvent) -> Void)?)

    public func setUploadProgressBlock(on executor: CurlewCore.CallbackExecutor = .queue(.main), _ block: @escaping @Sendable (CurlewCore.TransferProgress) -> Void)

    public func setDownloadProgressBlock(on executor: CurlewCore.CallbackExecutor = .queue(.main), _ block: @escaping @Sendable (CurlewCore.TransferProgress) -> Void)

    public func setRedirectBlock(_ block: (@Sendable (URLConnectionOperation, _ proposed: CurlewCore.Request, _ response: CurlewCore.ResponseHead?) -> CurlewCore.Request?)?)

    public func setProtectionSpaceBlock(_ block: (@Sendable (URLConnectionOperation, CurlewCore.ProtectionSpace) -> Bool)?)

    public func setChallengeBlock(_ block: (@Sendable (URLConnectionOperation, CurlewCore.Challenge, CurlewLoading.ChallengeReply) -> Void)?)

    public func setCacheResponseBlock(_ block: (@Sendable (URLConnectionOperation, CurlewCore.ResponseHead) -> CurlewCore.CacheAnswer)?)

    public func setNewBodyBlock(_ block: (@Sendable (URLConnectionOperation, CurlewCore.Request) -> CurlewCore.Body?)?)

    public func copySettings(to copy: URLConnectionOperation)
}

extension Body {

    public static func stream(_ stream: sending InputStream, length: Int64? = nil) -> CurlewCore.Body
}

extension CallbackExecutor {

    public static func queue(_ queue: DispatchQueue) -> CurlewCore.CallbackExecutor

    public static func operations(_ queue: OperationQueue) -> CurlewCore.CallbackExecutor
}

extension CallbackExecutor {

    public static func mainRunLoop(in modes: Set<RunLoop.Mode>) -> CurlewCore.CallbackExecutor
}

extension NSNotification.Name {

    public static let operationDidStart: Notification.Name

    public static let operationDidFinish: Notification.Name

    public static let operationDidPause: Notification.Name

    public static let operationDidResume: Notification.Name
}

extension NetworkError.Kind {

    public static let operationInAnotherBatch: CurlewCore.NetworkError.Kind
}

extension BatchJob {

    public static func operation(_ make: @escaping @Sendable (CurlewBatch.BatchJobContext) async throws -> URLConnectionOperation) -> CurlewBatch.BatchJob
}

extension NetworkError.Kind {

    public static let streamFailed: CurlewCore.NetworkError.Kind
}
