// swift-format-ignore-file
// The public interface of CurlewSessionManagers, written by `swift package api-text`.

import CurlewCore
import CurlewDownload
import CurlewJSON
import CurlewLoading
import CurlewRequests
import CurlewSecurity
import CurlewSerialization
import CurlewSession
import CurlewStorage
import Dispatch
import Foundation
import FoundationEssentials
import HTTPTypes

public struct BackgroundEnd : Sendable {

    public enum Result : Sendable {

        case file(path: String, length: Int64)

        case response(CurlewCore.ResponseHead, Data)

        case failure(CurlewCore.NetworkError.Kind, message: String)

        case cancelled
    }

    public var number: Int

    public var request: CurlewCore.Request

    public var result: BackgroundEnd.Result
}

extension BackgroundEnd.Result : Codable {

    public init(from decoder: any Decoder) throws

    public func encode(to encoder: any Encoder) throws
}

extension BackgroundEnd.Result : CustomReflectable {

    public var customMirror: Mirror { get }
}

public struct BackgroundHandler : Sendable {

    public var complete: (@Sendable (CurlewCore.RequestArchive) async throws -> CurlewCore.Request)?

    public var ended: @Sendable (BackgroundEnd) async -> Void

    public init(completing complete: (@Sendable (CurlewCore.RequestArchive) async throws -> CurlewCore.Request)? = nil, _ ended: @escaping @Sendable (BackgroundEnd) async -> Void)
}

final public class BackgroundSession : Sendable {

    public let identifier: String

    public let manager: URLSessionManager

    public init(_ identifier: String, in directory: String, of manager: URLSessionManager, names: CurlewRequests.ComponentNames) async throws

    public var tasks: [CurlewSession.SessionTask] { get }

    public func downloadTask(with request: CurlewCore.Request, to target: CurlewDownload.DownloadTarget, replaces: Bool = false, handler: CurlewRequests.ComponentName<BackgroundHandler>, includesSecrets: Bool = false) async throws -> CurlewSession.DownloadTask

    public func uploadTask(with request: CurlewCore.Request, fromFile file: URL, repeatsUnsafe: Bool = false, handler: CurlewRequests.ComponentName<BackgroundHandler>, includesSecrets: Bool = false) async throws -> CurlewSession.UploadTask<any Sendable>

    public func finished() async throws

    public func close() async
}

open class HTTPSessionManager : URLSessionManager, @unchecked Sendable {

    public typealias Success = @Sendable (CurlewSession.SessionTask, any Sendable) -> Void

    public typealias Failure = @Sendable (CurlewSession.SessionTask?, any Error) -> Void

    required public init(_ configuration: CurlewSession.SessionConfiguration)

    public convenience init(baseURL: CurlewRequests.BaseURL?, _ configuration: CurlewSession.SessionConfiguration)

    public var baseURL: CurlewRequests.BaseURL? { get }

    public var requestSerializer: any CurlewSerialization.RequestSerializer

    public var headerFields: HTTPTypes.HTTPFields

    override open var description: String { get }

    public func dataTask(_ method: HTTPTypes.HTTPRequest.Method, _ path: String, _ parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(), uploadProgress: HTTPSessionManager.ProgressHandler? = nil, downloadProgress: HTTPSessionManager.ProgressHandler? = nil, success: HTTPSessionManager.Success? = nil, failure: HTTPSessionManager.Failure? = nil) throws(CurlewCore.NetworkError) -> CurlewSession.DataTask<any Sendable>

    public func uploadTask(_ method: HTTPTypes.HTTPRequest.Method, _ path: String, _ parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(), multipart build: @escaping @Sendable (inout CurlewSerialization.MultipartForm) throws -> Void, progress: HTTPSessionManager.ProgressHandler? = nil, success: HTTPSessionManager.Success? = nil, failure: HTTPSessionManager.Failure? = nil) throws(CurlewCore.NetworkError) -> CurlewSession.UploadTask<any Sendable>

    @discardableResult
    public func send(_ method: HTTPTypes.HTTPRequest.Method, _ path: String, _ parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(), uploadProgress: HTTPSessionManager.ProgressHandler? = nil, downloadProgress: HTTPSessionManager.ProgressHandler? = nil, success: HTTPSessionManager.Success? = nil, failure: HTTPSessionManager.Failure? = nil) -> CurlewSession.DataTask<any Sendable>?

    @discardableResult
    public func send(_ method: HTTPTypes.HTTPRequest.Method, _ path: String, _ parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(), multipart build: @escaping @Sendable (inout CurlewSerialization.MultipartForm) throws -> Void, progress: HTTPSessionManager.ProgressHandler? = nil, success: HTTPSessionManager.Success? = nil, failure: HTTPSessionManager.Failure? = nil) -> CurlewSession.UploadTask<any Sendable>?

    override open func setSecurityPolicy(_ policy: (any CurlewCore.ServerTrustEvaluating)?) throws(CurlewCore.NetworkError)

    @discardableResult
    public func cancelTasks(method: HTTPTypes.HTTPRequest.Method? = nil, path: String? = nil) throws(CurlewCore.NetworkError) -> [CurlewSession.SessionTask]

    override open func copied() -> Self
}

extension HTTPSessionManager {

    @discardableResult
    public func get(_ path: String, _ parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(), progress: HTTPSessionManager.ProgressHandler? = nil, success: HTTPSessionManager.Success? = nil, failure: HTTPSessionManager.Failure? = nil) -> CurlewSession.DataTask<any Sendable>?

    @discardableResult
    public func head(_ path: String, _ parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(), success: HTTPSessionManager.Success? = nil, failure: HTTPSessionManager.Failure? = nil) -> CurlewSession.DataTask<any Sendable>?

    @discardableResult
    public func post(_ path: String, _ parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(), progress: HTTPSessionManager.ProgressHandler? = nil, success: HTTPSessionManager.Success? = nil, failure: HTTPSessionManager.Failure? = nil) -> CurlewSession.DataTask<any Sendable>?

    @discardableResult
    public func post(_ path: String, _ parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(), multipart build: @escaping @Sendable (inout CurlewSerialization.MultipartForm) throws -> Void, progress: HTTPSessionManager.ProgressHandler? = nil, success: HTTPSessionManager.Success? = nil, failure: HTTPSessionManager.Failure? = nil) -> CurlewSession.UploadTask<any Sendable>?

    @discardableResult
    public func put(_ path: String, _ parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(), success: HTTPSessionManager.Success? = nil, failure: HTTPSessionManager.Failure? = nil) -> CurlewSession.DataTask<any Sendable>?

    @discardableResult
    public func patch(_ path: String, _ parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(), success: HTTPSessionManager.Success? = nil, failure: HTTPSessionManager.Failure? = nil) -> CurlewSession.DataTask<any Sendable>?

    @discardableResult
    public func delete(_ path: String, _ parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(), success: HTTPSessionManager.Success? = nil, failure: HTTPSessionManager.Failure? = nil) -> CurlewSession.DataTask<any Sendable>?
}

public struct SessionHooks : Sendable {

    public var sessionDidBecomeInvalid: (@Sendable (URLSessionManager) -> Void)?

    public var sessionDidReceiveChallenge: (@Sendable (URLSessionManager, CurlewSession.SessionTask, CurlewCore.Challenge, CurlewLoading.ChallengeReply) -> Void)?

    public var taskDidReceiveChallenge: (@Sendable (URLSessionManager, CurlewSession.SessionTask, CurlewCore.Challenge, CurlewLoading.ChallengeReply) -> Void)?

    public var taskNeedsNewBody: (@Sendable (URLSessionManager, CurlewSession.SessionTask, CurlewCore.Request) -> CurlewCore.Body?)?

    public var taskWillRedirect: (@Sendable (URLSessionManager, CurlewSession.SessionTask, CurlewCore.ResponseHead?, CurlewCore.Request) -> CurlewCore.Request?)?

    public var taskDidSendBodyData: (@Sendable (URLSessionManager, CurlewSession.SessionTask, Int64, Int64, Int64?) -> Void)?

    public var taskDidFinishCollectingMetrics: (@Sendable (URLSessionManager, CurlewSession.SessionTask, [CurlewCore.ExchangeMetrics]) -> Void)?

    public var taskDidComplete: (@Sendable (URLSessionManager, CurlewSession.SessionTask, (any Error)?) -> Void)?

    public var dataTaskDidReceiveResponse: (@Sendable (URLSessionManager, CurlewSession.SessionTask, CurlewCore.ResponseHead) -> CurlewSession.ResponseDisposition)?

    public var dataTaskDidBecomeDownload: (@Sendable (URLSessionManager, CurlewSession.SessionTask, CurlewSession.DownloadTask) -> Void)?

    public var dataTaskDidReceiveData: (@Sendable (URLSessionManager, CurlewSession.SessionTask, Data) -> Void)?

    public var dataTaskWillCacheResponse: (@Sendable (URLSessionManager, CurlewSession.SessionTask, CurlewCore.ResponseHead) -> CurlewCore.CacheAnswer)?

    public var downloadTaskDestination: (@Sendable (URLSessionManager, CurlewSession.DownloadTask, CurlewCore.ResponseHead) -> String?)?

    public var downloadTaskDidWriteData: (@Sendable (URLSessionManager, CurlewSession.DownloadTask, Int64, Int64, Int64?) -> Void)?

    public var downloadTaskDidResume: (@Sendable (URLSessionManager, CurlewSession.DownloadTask, Int64, Int64?) -> Void)?

    public var sessionDidFinishBackgroundEvents: (@Sendable (URLSessionManager) -> Void)?

    public init()
}

public struct SessionManagerArchive : Sendable, Codable {

    public static let version: Int

    public let configuration: CurlewRequests.ComponentName<CurlewSession.SessionConfiguration>

    public var baseURL: CurlewRequests.BaseURL? { get }

    public var requestSerializer: CurlewRequests.ComponentName<any CurlewSerialization.RequestSerializer>? { get }

    public var responseSerializer: CurlewRequests.ComponentName<any CurlewSerialization.ResponseSerializer>? { get }

    public var securityPolicy: CurlewRequests.ComponentName<any CurlewCore.ServerTrustEvaluating>? { get }

    public var headerFields: HTTPTypes.HTTPFields { get }

    public var options: CurlewCore.RequestOptions { get }

    public var omittedSecrets: [String] { get }

    public init(_ manager: URLSessionManager, configuration: CurlewRequests.ComponentName<CurlewSession.SessionConfiguration>, names: CurlewRequests.ComponentNames, requestSerializer: CurlewRequests.ComponentName<any CurlewSerialization.RequestSerializer>? = nil, responseSerializer: CurlewRequests.ComponentName<any CurlewSerialization.ResponseSerializer>? = nil, securityPolicy: CurlewRequests.ComponentName<any CurlewCore.ServerTrustEvaluating>? = nil) throws(CurlewCore.NetworkError)

    public func manager<Manager>(as type: Manager.Type = HTTPSessionManager.self, names: CurlewRequests.ComponentNames) throws(CurlewCore.NetworkError) -> Manager where Manager : URLSessionManager

    public init(from decoder: any Decoder) throws

    public func encode(to encoder: any Encoder) throws
}

public enum SessionManagerEvent : Sendable {

    case resumed(CurlewSession.SessionTask)

    case suspended(CurlewSession.SessionTask)

    case completed(CurlewSession.SessionTask, TaskReport)

    case fileMoved(CurlewSession.DownloadTask, path: String)

    case fileMoveFailed(CurlewSession.DownloadTask, any Error)

    case sessionInvalidated
}

public struct TaskReport : Sendable {

    public var response: CurlewCore.ResponseHead?

    public var value: (any Sendable)?

    public var error: (any Error)?

    public var metrics: [CurlewCore.ExchangeMetrics]
}

extension TaskReport {

    public static let userInfoKey: String

    public static let valueKey: String

    public static let errorKey: String

    public static let pathKey: String

    public static let metricsKey: String
}

public struct TaskSettings : Sendable {

    public var responseSerializer: (any CurlewSerialization.ResponseSerializer)?

    public var securityPolicy: (any CurlewCore.ServerTrustEvaluating)?

    public var retry: CurlewLoading.RetryPolicy?

    public init()
}

open class URLSessionManager : @unchecked Sendable, CustomStringConvertible {

    public typealias Completion = @Sendable (CurlewCore.ResponseHead?, (any Sendable)?, (any Error)?) -> Void

    public typealias ProgressHandler = @Sendable (CurlewCore.TransferProgress) -> Void

    public let callbackQueue: DispatchQueue

    required public init(_ configuration: CurlewSession.SessionConfiguration)

    public var session: CurlewSession.HTTPSession { get }

    public var configuration: CurlewSession.SessionConfiguration { get }

    public var hooks: SessionHooks

    public var responseSerializer: any CurlewSerialization.ResponseSerializer

    public var securityPolicy: (any CurlewCore.ServerTrustEvaluating)? { get }

    open func setSecurityPolicy(_ policy: (any CurlewCore.ServerTrustEvaluating)?) throws(CurlewCore.NetworkError)

    public var reachability: (any CurlewCore.ReachabilityMonitoring)?

    public var completionQueue: DispatchQueue?

    public var completionGroup: DispatchGroup?

    public var postsNotifications: Bool

    public func onEvent(on executor: CurlewCore.CallbackExecutor, _ handler: @escaping @Sendable (SessionManagerEvent) -> Void)

    public var tasks: [CurlewSession.SessionTask] { get }

    public var dataTasks: [CurlewSession.SessionTask] { get }

    public var uploadTasks: [CurlewSession.SessionTask] { get }

    public var downloadTasks: [CurlewSession.DownloadTask] { get }

    open var description: String { get }

    public func invalidate(cancelingTasks: Bool, resetSession: Bool)

    open func copied() -> Self

    open func sessionDidBecomeInvalid()

    open func sessionDidFinishBackgroundEvents()

    open func task(_ task: CurlewSession.SessionTask, didReceive challenge: CurlewCore.Challenge, reply: CurlewLoading.ChallengeReply)

    open func task(_ task: CurlewSession.SessionTask, needsNewBodyFor request: CurlewCore.Request) -> CurlewCore.Body?

    open func task(_ task: CurlewSession.SessionTask, willSend request: CurlewCore.Request, redirectedBy response: CurlewCore.ResponseHead?) -> CurlewCore.Request?

    open func task(_ task: CurlewSession.SessionTask, didSendBodyData bytes: Int64, total: Int64, expected: Int64?)

    open func task(_ task: CurlewSession.SessionTask, didFinishCollecting metrics: [CurlewCore.ExchangeMetrics])

    open func task(_ task: CurlewSession.SessionTask, didCompleteWith error: (any Error)?)

    open func dataTask(_ task: CurlewSession.SessionTask, didReceive response: CurlewCore.ResponseHead) -> CurlewSession.ResponseDisposition

    open func dataTask(_ task: CurlewSession.SessionTask, didBecome download: CurlewSession.DownloadTask)

    open func dataTask(_ task: CurlewSession.SessionTask, didReceive data: Data)

    open func dataTask(_ task: CurlewSession.SessionTask, willCache response: CurlewCore.ResponseHead) -> CurlewCore.CacheAnswer

    open func downloadTask(_ task: CurlewSession.DownloadTask, destinationFor response: CurlewCore.ResponseHead) -> String?

    open func downloadTask(_ task: CurlewSession.DownloadTask, didWriteData bytes: Int64, total: Int64, expected: Int64?)

    open func downloadTask(_ task: CurlewSession.DownloadTask, didResumeAt offset: Int64, total: Int64?)
}

extension URLSessionManager {

    public func dataTask(with request: CurlewCore.Request, settings: TaskSettings = TaskSettings(), uploadProgress: URLSessionManager.ProgressHandler? = nil, downloadProgress: URLSessionManager.ProgressHandler? = nil, completion: URLSessionManager.Completion?) -> CurlewSession.DataTask<any Sendable>

    public func dataTask<Serializer>(with request: CurlewCore.Request, decoding serializer: Serializer, settings: TaskSettings = TaskSettings(), uploadProgress: URLSessionManager.ProgressHandler? = nil, downloadProgress: URLSessionManager.ProgressHandler? = nil, completion: (@Sendable (CurlewCore.ResponseHead?, Result<Serializer.Output, any Error>) -> Void)?) -> CurlewSession.DataTask<Serializer.Output> where Serializer : CurlewSerialization.ResponseSerializer

    public func dataTask(requestBuilder: @escaping @Sendable () throws -> CurlewCore.Request, retryCount: Int, retryInterval: Duration, timeoutInterval: Duration = .zero, repeatsUnsafe: Bool = false, settings: TaskSettings = TaskSettings(), shouldRetry: (@Sendable (CurlewCore.ResponseHead?, (any Sendable)?, (any Error)?, CurlewLoading.RetryReply) -> Void)? = nil, taskHandler: (@Sendable (CurlewSession.SessionTask) -> Void)? = nil, uploadProgress: URLSessionManager.ProgressHandler? = nil, downloadProgress: URLSessionManager.ProgressHandler? = nil, completion: URLSessionManager.Completion?) -> CurlewSession.DataTask<any Sendable>
}

extension URLSessionManager {

    public typealias DownloadCompletion = @Sendable (CurlewCore.ResponseHead?, _ path: String?, (any Error)?) -> Void

    public func uploadTask(with request: CurlewCore.Request, fromFile file: URL, settings: TaskSettings = TaskSettings(), progress: URLSessionManager.ProgressHandler? = nil, completion: URLSessionManager.Completion?) -> CurlewSession.UploadTask<any Sendable>

    public func uploadTask(with request: CurlewCore.Request, from data: Data, settings: TaskSettings = TaskSettings(), progress: URLSessionManager.ProgressHandler? = nil, completion: URLSessionManager.Completion?) -> CurlewSession.UploadTask<any Sendable>

    public func uploadTask(withStreamedRequest request: CurlewCore.Request, settings: TaskSettings = TaskSettings(), progress: URLSessionManager.ProgressHandler? = nil, completion: URLSessionManager.Completion?) -> CurlewSession.UploadTask<any Sendable>

    public func downloadTask(with request: CurlewCore.Request, to target: CurlewDownload.DownloadTarget, settings: TaskSettings = TaskSettings(), changing change: (inout CurlewDownload.DownloadConfiguration) throws -> Void = { _ in }, progress: URLSessionManager.ProgressHandler? = nil, completion: URLSessionManager.DownloadCompletion?) -> CurlewSession.DownloadTask

    public func downloadTask(resuming data: CurlewDownload.DownloadResumeData, with request: CurlewCore.Request? = nil, to target: CurlewDownload.DownloadTarget, settings: TaskSettings = TaskSettings(), changing change: (inout CurlewDownload.DownloadConfiguration) throws -> Void = { _ in }, progress: URLSessionManager.ProgressHandler? = nil, completion: URLSessionManager.DownloadCompletion?) -> CurlewSession.DownloadTask
}

extension NetworkError.Kind {

    public static let sessionInUse: CurlewCore.NetworkError.Kind
}

extension NSNotification.Name {

    public static let sessionTaskDidResume: Notification.Name

    public static let sessionTaskDidSuspend: Notification.Name

    public static let sessionTaskDidComplete: Notification.Name

    public static let sessionDidInvalidate: Notification.Name

    public static let downloadDidMoveFile: Notification.Name

    public static let downloadDidFailToMoveFile: Notification.Name
}

extension NetworkError.Kind {

    public static let sessionInvalidated: CurlewCore.NetworkError.Kind
}
