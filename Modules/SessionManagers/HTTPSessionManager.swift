public import CurlewCore
import CurlewLoading
public import CurlewRequests
public import CurlewSerialization
public import CurlewSession
import Dispatch
import Foundation
public import HTTPTypes

/// Sends HTTP requests to one server, with a method for each verb.
///
/// It corresponds to `AFHTTPSessionManager` of AFNetworking 3 and 4, and to `FWHTTPSessionManager`.
///
/// ```swift
/// let manager = HTTPSessionManager(baseURL: try BaseURL("https://example.com/v1/"), configuration)
/// manager.get(
///   "birds", ["kind": "curlew"],
///   success: { task, birds in show(birds) }, failure: { task, error in show(error) })
/// ```
///
/// Paths are resolved by the rules of `BaseURL`. Parameters go into the query of `GET`, `HEAD` and `DELETE`, and into the body
/// of other requests. The verbs resume their tasks at once; `dataTask(_:_:_:)` does not. Exactly one of the two blocks is
/// called, on `completionQueue`: `success` with the decoded value, or `failure` with the error, and without a task if no
/// request could be created. Every member may be used from any thread.
// Safe because its state is guarded, as is that of its superclass.
open class HTTPSessionManager: URLSessionManager, @unchecked Sendable {
  /// Called when a task has succeeded, with its value.
  public typealias Success = @Sendable (SessionTask, any Sendable) -> Void
  /// Called when a task has failed, or no request could be created.
  ///
  /// In the second case the task is nil, and also if a suspended task was released.
  public typealias Failure = @Sendable (SessionTask?, any Error) -> Void

  private struct Template {
    var fields = HTTPFields()
    var serializer: any RequestSerializer
    var hasOwnSerializer = false
  }

  private let template: Guarded<Template>

  /// Creates a manager; the base URL is that of the configuration.
  public required init(_ configuration: SessionConfiguration) {
    let form = Self.form(configuration.requestSerializer)
    template = Guarded(Template(fields: configuration.headerFields, serializer: form))
    super.init(configuration)
  }

  /// Creates a manager for a server.
  ///
  /// - Parameter baseURL: The URL that paths are relative to; nil accepts only whole URLs.
  public convenience init(baseURL: BaseURL?, _ configuration: SessionConfiguration) {
    var configuration = configuration
    configuration.baseURL = baseURL
    self.init(configuration)
  }

  /// The URL that paths are relative to; nil accepts only whole URLs.
  public var baseURL: BaseURL? { configuration.baseURL }

  /// Encodes parameters into requests; by default into a query or a form, as AFNetworking does.
  ///
  /// The default has the fields and options of the configuration's serializer (`RequestDefaults`), but not its format. Set `.json`
  /// to send parameters as JSON.
  public var requestSerializer: any RequestSerializer {
    get { template.withLock { $0.serializer } }
    set {
      template.withLock { template in
        template.serializer = newValue
        template.hasOwnSerializer = true
      }
    }
  }

  /// Fields for requests that neither the call nor the serializer sets; by default the configuration's.
  ///
  /// They go only where those of `SessionConfiguration.headerFields` go.
  public var headerFields: HTTPFields {
    get { template.withLock { $0.fields } }
    set { template.withLock { $0.fields = newValue } }
  }

  /// Returns a serializer of forms with the defaults of another one.
  private static func form(_ serializer: any RequestSerializer) -> any RequestSerializer {
    serializer is FormRequestSerializer ? serializer : FormRequestSerializer(defaults: serializer.defaults)
  }

  /// The class, the base URL without secrets and the number of tasks.
  open override var description: String {
    "<\(type(of: self)): \(baseURL?.description ?? "no base URL"), \(tasks.count) tasks>"
  }

  // MARK: - Creating tasks

  /// Creates a task for a request that the manager's settings complete; the caller resumes it.
  ///
  /// - Parameters:
  ///   - path: A path as for `BaseURL.url(for:)`.
  ///   - headerFields: Fields that replace defaults of the same names.
  ///   - options: The options of the request, such as its timeouts; the session's apply where they are unset.
  /// - Throws: `NetworkError` of kind `invalidURL`, `invalidRequest` or `serializationFailed`.
  public func dataTask(
    _ method: HTTPRequest.Method, _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(),
    uploadProgress: ProgressHandler? = nil, downloadProgress: ProgressHandler? = nil, success: Success? = nil,
    failure: Failure? = nil
  ) throws(NetworkError) -> DataTask<any Sendable> {
    let request = try requests.request(method, path, parameters, headerFields: headerFields, options: options)
    var settings = settings
    // The response to HEAD has no body, so it must not be refused for lack of one.
    if method == .head, settings.responseSerializer == nil { settings.responseSerializer = DataResponseSerializer() }
    return dataTask(
      with: request, settings: settings, uploadProgress: uploadProgress, downloadProgress: downloadProgress,
      ending: Self.ending(success, failure))
  }

  /// Creates a task that uploads a multipart form; the caller resumes it.
  ///
  /// A transport without `TransportCapabilities.streamedUploads`, such as `URLSessionTransport`, refuses the form; write it to
  /// a file with `MultipartForm.spooled(to:)` and upload that.
  ///
  /// - Parameter build: Adds the parts after the parameters; called once, before this returns.
  /// - Throws: The errors of `dataTask(_:_:_:)`.
  public func uploadTask(
    _ method: HTTPRequest.Method, _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(),
    multipart build: @escaping @Sendable (inout MultipartForm) throws -> Void, progress: ProgressHandler? = nil,
    success: Success? = nil, failure: Failure? = nil
  ) throws(NetworkError) -> UploadTask<any Sendable> {
    let request = try requests.multipart(
      method, path, parameters, headerFields: headerFields, options: options, build: build)
    return uploadTask(
      with: request, settings: settings, progress: progress, ending: Self.ending(success, failure))
  }

  /// Creates a task and resumes it.
  ///
  /// - Returns: The task; nil if none could be created, after which `failure` is called.
  @discardableResult
  public func send(
    _ method: HTTPRequest.Method, _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(),
    uploadProgress: ProgressHandler? = nil, downloadProgress: ProgressHandler? = nil, success: Success? = nil,
    failure: Failure? = nil
  ) -> DataTask<any Sendable>? {
    resumed(failure) { () throws(NetworkError) in
      try dataTask(
        method, path, parameters, headerFields: headerFields, options: options, settings: settings,
        uploadProgress: uploadProgress, downloadProgress: downloadProgress, success: success, failure: failure)
    }
  }

  /// Creates a task that uploads a multipart form, and resumes it.
  ///
  /// - Returns: The task; nil if none could be created, after which `failure` is called.
  @discardableResult
  public func send(
    _ method: HTTPRequest.Method, _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(),
    multipart build: @escaping @Sendable (inout MultipartForm) throws -> Void, progress: ProgressHandler? = nil,
    success: Success? = nil, failure: Failure? = nil
  ) -> UploadTask<any Sendable>? {
    resumed(failure) { () throws(NetworkError) in
      try uploadTask(
        method, path, parameters, headerFields: headerFields, options: options, settings: settings, multipart: build,
        progress: progress, success: success, failure: failure)
    }
  }

  private func resumed<Task: SessionTask>(
    _ failure: Failure?, _ make: () throws(NetworkError) -> Task
  ) -> Task? {
    do throws(NetworkError) {
      let task = try make()
      task.resume()
      return task
    } catch {
      if let failure { (completionQueue ?? .main).async { failure(nil, error) } }
      return nil
    }
  }

  private static func ending(_ success: Success?, _ failure: Failure?) -> TaskEnding? {
    guard success != nil || failure != nil else { return nil }
    return { task, outcome in
      switch outcome {
      case .success(let value): if let task { success?(task, value) }
      case .failure(let error): failure?(task, error)
      case .cancelled: failure?(task, CancellationError())
      }
    }
  }

  private var requests: RequestTemplate {
    let template = template.withLock { $0 }
    let configuration = configuration
    var requests = RequestTemplate(
      baseURL: configuration.baseURL, serializer: template.serializer, headerFields: template.fields)
    requests.secretOrigins = configuration.secretOrigins
    requests.redaction = configuration.settings.redaction
    return requests
  }

  // MARK: - Settings, cancelling and copying

  /// Sets the evaluator of servers' certificates for tasks that are created afterwards.
  ///
  /// - Throws: `NetworkError` of kind `invalidRequest` for a policy that refuses plain `http`, such as one with pins, if the
  ///   base URL is not `https`: every request would be refused.
  open override func setSecurityPolicy(_ policy: (any ServerTrustEvaluating)?) throws(NetworkError) {
    if policy?.requirements.refusesPlainHTTP == true, let baseURL, baseURL.origin.scheme != .https {
      throw NetworkError(
        .invalidRequest, stage: .preparing,
        message: "The policy refuses plain http, and the base URL is \(baseURL).", advice: "Use an https base URL.")
    }
    try super.setSecurityPolicy(policy)
  }

  /// Cancels the tasks with a given method and path.
  ///
  /// - Parameters:
  ///   - method: The method of the request; nil matches any.
  ///   - path: The path, resolved against the base URL and compared without its query; nil matches any.
  /// - Returns: The tasks that were cancelled.
  /// - Throws: `NetworkError` of kind `invalidURL`.
  @discardableResult
  public func cancelTasks(
    method: HTTPRequest.Method? = nil, path: String? = nil
  ) throws(NetworkError) -> [SessionTask] {
    let matching = try TaskFilter(method: method, path: path, baseURL: baseURL).matching(tasks)
    for task in matching { task.cancel() }
    return matching
  }

  /// Creates a manager with the same settings and a session of its own.
  ///
  /// Beside what `URLSessionManager` copies, it has the request serializer and the header fields.
  open override func copied() -> Self {
    let copy = super.copied()
    let template = template.withLock { $0 }
    copy.template.withLock { $0 = template }
    return copy
  }

  override var archivedRequestSerializer: (any RequestSerializer)? {
    template.withLock { $0.hasOwnSerializer ? $0.serializer : nil }
  }

  override var archivedFields: HTTPFields { headerFields }
}

/// A form of `send` for each method.
///
/// Each returns nil and calls `failure` if no task could be created.
extension HTTPSessionManager {
  /// Sends a `GET` with the parameters in its query.
  ///
  /// - Parameter progress: Receives the progress of the response's body, on the callback queue.
  @discardableResult
  public func get(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(),
    progress: ProgressHandler? = nil, success: Success? = nil, failure: Failure? = nil
  ) -> DataTask<any Sendable>? {
    send(
      .get, path, parameters, headerFields: headerFields, options: options, settings: settings,
      downloadProgress: progress, success: success, failure: failure)
  }

  /// Sends a `HEAD` with the parameters in its query; the value is empty `Data`.
  @discardableResult
  public func head(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(), success: Success? = nil,
    failure: Failure? = nil
  ) -> DataTask<any Sendable>? {
    send(
      .head, path, parameters, headerFields: headerFields, options: options, settings: settings, success: success,
      failure: failure)
  }

  /// Sends a `POST` with the parameters in its body.
  ///
  /// - Parameter progress: Receives the progress of the request's body, on the callback queue.
  @discardableResult
  public func post(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(),
    progress: ProgressHandler? = nil, success: Success? = nil, failure: Failure? = nil
  ) -> DataTask<any Sendable>? {
    send(
      .post, path, parameters, headerFields: headerFields, options: options, settings: settings,
      uploadProgress: progress, success: success, failure: failure)
  }

  /// Sends a `POST` with a multipart form.
  ///
  /// The form contains the parameters as fields, then the parts that `build` adds. Its `Content-Type` with the boundary
  /// replaces one in `headerFields`, because the body could not be read without the boundary.
  ///
  /// - Parameters:
  ///   - build: Adds the parts; called once, before this returns.
  ///   - progress: Receives the progress of the request's body, on the callback queue.
  @discardableResult
  public func post(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(),
    multipart build: @escaping @Sendable (inout MultipartForm) throws -> Void, progress: ProgressHandler? = nil,
    success: Success? = nil, failure: Failure? = nil
  ) -> UploadTask<any Sendable>? {
    send(
      .post, path, parameters, headerFields: headerFields, options: options, settings: settings, multipart: build,
      progress: progress, success: success, failure: failure)
  }

  /// Sends a `PUT` with the parameters in its body.
  @discardableResult
  public func put(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(), success: Success? = nil,
    failure: Failure? = nil
  ) -> DataTask<any Sendable>? {
    send(
      .put, path, parameters, headerFields: headerFields, options: options, settings: settings, success: success,
      failure: failure)
  }

  /// Sends a `PATCH` with the parameters in its body.
  @discardableResult
  public func patch(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(), success: Success? = nil,
    failure: Failure? = nil
  ) -> DataTask<any Sendable>? {
    send(
      .patch, path, parameters, headerFields: headerFields, options: options, settings: settings, success: success,
      failure: failure)
  }

  /// Sends a `DELETE` with the parameters in its query.
  @discardableResult
  public func delete(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(), success: Success? = nil,
    failure: Failure? = nil
  ) -> DataTask<any Sendable>? {
    send(
      .delete, path, parameters, headerFields: headerFields, options: options, settings: settings, success: success,
      failure: failure)
  }
}

/// Finds tasks by the method and the path of their requests.
struct TaskFilter {
  private let method: HTTPRequest.Method?
  private let url: URL?

  /// Creates a filter.
  ///
  /// - Parameters:
  ///   - method: The method; nil matches any.
  ///   - path: The path, resolved against the base URL and compared without its query; nil matches any.
  /// - Throws: `NetworkError` of kind `invalidURL`.
  init(method: HTTPRequest.Method?, path: String?, baseURL: BaseURL?) throws(NetworkError) {
    self.method = method
    url = if let path { Self.withoutQuery(try BaseURL.url(for: path, relativeTo: baseURL)) } else { nil }
  }

  /// Returns the tasks that have not ended and match; a task without a request matches only a filter without conditions.
  func matching(_ tasks: [SessionTask]) -> [SessionTask] {
    tasks.filter { task in
      let request = task.originalRequest
      return task.state != .completed && (method.map { $0 == request?.method } ?? true)
        && (url.map { $0 == (request?.url).map(Self.withoutQuery) } ?? true)
    }
  }

  private static func withoutQuery(_ url: URL) -> URL {
    var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    parts?.query = nil
    parts?.fragment = nil
    return parts?.url ?? url
  }
}
