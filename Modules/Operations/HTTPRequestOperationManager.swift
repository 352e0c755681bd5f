public import CurlewCore
import CurlewJSON
public import CurlewLoading
public import CurlewRequests
public import CurlewSerialization
public import Dispatch
public import Foundation
public import HTTPTypes

/// Creates HTTP operations for one server and adds them to a queue.
///
/// It corresponds to the manager of AFNetworking 2.
///
/// ```swift
/// let manager = HTTPRequestOperationManager(baseURL: try BaseURL("https://example.com/v1/"), over: loader)
/// manager.get(
///   "birds", ["kind": "curlew"],
///   success: { operation, birds in show(birds) }, failure: { operation, error in show(error) })
/// ```
///
/// Parameters go into the query of `GET`, `HEAD` and `DELETE`, and into the body of other requests. If a request cannot be
/// created, because its path is not a URL or its parameters cannot be encoded, the failure block is called once without an
/// operation. Settings apply to operations that are created afterwards. Every member may be used from any thread.
// Safe because its state is guarded.
open class HTTPRequestOperationManager: @unchecked Sendable, CustomStringConvertible {
  /// Called when an operation has succeeded, with its value.
  public typealias Success = @Sendable (HTTPRequestOperation, any Sendable) -> Void
  /// Called when an operation has failed, or no request could be created.
  ///
  /// In the second case the operation is nil.
  public typealias Failure = @Sendable (HTTPRequestOperation?, any Error) -> Void

  private struct State {
    var template: RequestTemplate
    var responseSerializer: any ResponseSerializer = .jsonValue
    /// Whether the app has set the request serializer.
    var hasOwnRequestSerializer = false
    var hasOwnResponseSerializer = false
    var credential: Credential?
    var policy: (any ServerTrustEvaluating)?
    var usesCredentialStorage = true
    var completionQueue: DispatchQueue?
    var completionGroup: DispatchGroup?
    var reachability: (any ReachabilityMonitoring)?
  }

  /// The loader that sends the requests.
  public let loader: Loader
  /// The queue of the operations; of unlimited width by default.
  public let operationQueue = OperationQueue()
  private let state: Guarded<State>

  /// Creates a manager.
  ///
  /// - Parameters:
  ///   - baseURL: The URL that paths are relative to; nil accepts only whole URLs.
  ///   - loader: The loader that sends the requests.
  public required init(baseURL: BaseURL? = nil, over loader: Loader) {
    self.loader = loader
    var template = RequestTemplate(baseURL: baseURL)
    template.redaction = loader.settings.redaction
    state = Guarded(State(template: template))
  }

  // MARK: - Settings

  /// The URL that paths are relative to.
  public var baseURL: BaseURL? { state.withLock { $0.template.baseURL } }

  /// Encodes parameters into requests; by default as a query or a form.
  public var requestSerializer: any RequestSerializer {
    get { state.withLock { $0.template.serializer } }
    set {
      state.withLock { state in
        state.template.serializer = newValue
        state.hasOwnRequestSerializer = true
      }
    }
  }

  /// Fields for requests that neither the call nor the serializer sets.
  ///
  /// They go to the base URL's origin and to `secretOrigins`, and only harmless ones to others (`RequestTemplate.headerFields`); without
  /// either they go to every URL. The same is true of the defaults of `requestSerializer`.
  public var headerFields: HTTPFields {
    get { state.withLock { $0.template.headerFields } }
    set { state.withLock { $0.template.headerFields = newValue } }
  }

  /// The origins that receive all of `headerFields` beside the base URL's; never archived.
  public var secretOrigins: Set<Origin> {
    get { state.withLock { $0.template.secretOrigins } }
    set { state.withLock { $0.template.secretOrigins = newValue } }
  }

  /// Checks responses and decodes values; JSON by default.
  public var responseSerializer: any ResponseSerializer {
    get { state.withLock { $0.responseSerializer } }
    set {
      state.withLock { state in
        state.responseSerializer = newValue
        state.hasOwnResponseSerializer = true
      }
    }
  }

  /// The answer to the first challenge of each operation; never archived.
  ///
  /// Like the `headerFields` that are not harmless, it goes to the base URL's origin and to `secretOrigins` only; without either, to the
  /// origin of each request.
  public var credential: Credential? {
    get { state.withLock { $0.credential } }
    set { state.withLock { $0.credential = newValue } }
  }

  /// Evaluates servers' certificates; nil uses the loader's evaluator.
  public var securityPolicy: (any ServerTrustEvaluating)? {
    get { state.withLock { $0.policy } }
    set { state.withLock { $0.policy = newValue } }
  }

  /// Whether stored credentials may be used; true by default.
  public var shouldUseCredentialStorage: Bool {
    get { state.withLock { $0.usesCredentialStorage } }
    set { state.withLock { $0.usesCredentialStorage = newValue } }
  }

  /// The queue on which blocks are called; nil means the main queue.
  public var completionQueue: DispatchQueue? {
    get { state.withLock { $0.completionQueue } }
    set { state.withLock { $0.completionQueue = newValue } }
  }

  /// The completion group of each operation.
  public var completionGroup: DispatchGroup? {
    get { state.withLock { $0.completionGroup } }
    set { state.withLock { $0.completionGroup = newValue } }
  }

  /// The source of the network's state, for the app to ask.
  ///
  /// It does not hold back operations; `NetworkGate` and `ConnectivityWait` in the loader's chain do that.
  public var reachability: (any ReachabilityMonitoring)? {
    get { state.withLock { $0.reachability } }
    set { state.withLock { $0.reachability = newValue } }
  }

  /// The class, the base URL without secrets and the number of operations.
  open var description: String {
    "<\(type(of: self)): \(baseURL?.description ?? "no base URL"), \(operationQueue.operationCount) operations>"
  }

  // MARK: - Making operations

  /// Creates an operation for a request, without adding it to the queue.
  ///
  /// The manager creates all its operations with this method, so a subclass can change each of them.
  open func operation(for request: Request, success: Success?, failure: Failure?) -> HTTPRequestOperation {
    configured(HTTPRequestOperation(request, over: loader), success, failure)
  }

  /// Creates a request and adds its operation to the queue.
  ///
  /// - Parameter path: A path as for `BaseURL.url(for:)`.
  /// - Returns: The operation; nil if no request could be created, after which `failure` is called.
  @discardableResult
  public func send(
    _ method: HTTPRequest.Method, _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    success: Success? = nil, failure: Failure? = nil
  ) -> HTTPRequestOperation? {
    let template = state.withLock { $0.template }
    return enqueue(success, failure) { () throws(NetworkError) in
      try template.request(method, path, parameters, headerFields: headerFields)
    }
  }

  /// Creates a request with a multipart form and adds its operation to the queue.
  ///
  /// - Parameter build: Adds the parts after the parameters; called once, before this returns.
  /// - Returns: The operation; nil if no request could be created, after which `failure` is called.
  @discardableResult
  public func send(
    _ method: HTTPRequest.Method, _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    multipart build: @escaping @Sendable (inout MultipartForm) throws -> Void, success: Success? = nil,
    failure: Failure? = nil
  ) -> HTTPRequestOperation? {
    let template = state.withLock { $0.template }
    return enqueue(success, failure) { () throws(NetworkError) in
      try template.multipart(method, path, parameters, headerFields: headerFields, build: build)
    }
  }

  private func enqueue(
    _ success: Success?, _ failure: Failure?, _ make: () throws(NetworkError) -> Request
  ) -> HTTPRequestOperation? {
    do throws(NetworkError) {
      let operation = operation(for: try make(), success: success, failure: failure)
      operationQueue.addOperation(operation)
      return operation
    } catch {
      if let failure { (completionQueue ?? .main).async { failure(nil, error) } }
      return nil
    }
  }

  /// Applies the manager's settings to an operation.
  private func configured(
    _ operation: HTTPRequestOperation, _ success: Success?, _ failure: Failure?
  ) -> HTTPRequestOperation {
    let settings = state.withLock { $0 }
    operation.responseSerializer =
      operation.request.method == .head ? DataResponseSerializer() : settings.responseSerializer
    if !settings.usesCredentialStorage { operation.shouldUseCredentialStorage = false }
    if let credential = settings.credential, settings.template.mayReceiveSecrets(operation.request) {
      operation.credential = credential
    }
    if let policy = settings.policy { operation.securityPolicy = policy }
    operation.completionQueue = settings.completionQueue
    operation.completionGroup = settings.completionGroup
    operation.setCompletionBlock(success: success, failure: failure)
    return operation
  }

  // MARK: - Cancelling and copying

  /// Cancels the operations in the queue with a given method and path.
  ///
  /// - Parameters:
  ///   - method: The method of the request; nil matches any.
  ///   - path: The path, resolved against the base URL and compared without its query; nil matches any.
  /// - Returns: The operations that were cancelled.
  /// - Throws: `NetworkError` of kind `invalidURL`.
  @discardableResult
  public func cancelOperations(
    method: HTTPRequest.Method? = nil, path: String? = nil
  ) throws(NetworkError) -> [HTTPRequestOperation] {
    let wanted: URL? = if let path { Self.withoutQuery(try BaseURL.url(for: path, relativeTo: baseURL)) } else { nil }
    let matching = operationQueue.operations.compactMap { $0 as? HTTPRequestOperation }.filter { operation in
      let request = operation.request
      return !operation.isFinished && (method.map { $0 == request.method } ?? true)
        && (wanted.map { $0 == Self.withoutQuery(request.url) } ?? true)
    }
    for operation in matching { operation.cancel() }
    return matching
  }

  private static func withoutQuery(_ url: URL) -> URL {
    var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    parts?.query = nil
    parts?.fragment = nil
    return parts?.url ?? url
  }

  /// Creates a manager with the same settings and a queue of its own.
  ///
  /// Everything is copied but the completion queue and the completion group.
  open func copied() -> Self {
    var settings = state.withLock { $0 }
    settings.completionQueue = nil
    settings.completionGroup = nil
    let copy = Self(baseURL: settings.template.baseURL, over: loader)
    copy.state.withLock { [settings] state in state = settings }
    return copy
  }

  /// The parts of a manager that an archive contains; nil for a part that is not set.
  struct ArchivedParts {
    var baseURL: BaseURL?
    var headerFields: HTTPFields
    var requestSerializer: (any RequestSerializer)?
    var responseSerializer: (any ResponseSerializer)?
    var policy: (any ServerTrustEvaluating)?
    var usesCredentialStorage: Bool
  }

  var archivedParts: ArchivedParts {
    let settings = state.withLock { $0 }
    return ArchivedParts(
      baseURL: settings.template.baseURL, headerFields: settings.template.headerFields,
      requestSerializer: settings.hasOwnRequestSerializer ? settings.template.serializer : nil,
      responseSerializer: settings.hasOwnResponseSerializer ? settings.responseSerializer : nil,
      policy: settings.policy, usesCredentialStorage: settings.usesCredentialStorage)
  }
}

/// A form of `send` for each method.
///
/// Each returns nil and calls `failure` if no request could be created.
extension HTTPRequestOperationManager {
  /// Sends a `GET` with the parameters in its query.
  @discardableResult
  public func get(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:], success: Success? = nil,
    failure: Failure? = nil
  ) -> HTTPRequestOperation? {
    send(.get, path, parameters, headerFields: headerFields, success: success, failure: failure)
  }

  /// Sends a `HEAD` with the parameters in its query; the value is empty `Data`.
  @discardableResult
  public func head(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:], success: Success? = nil,
    failure: Failure? = nil
  ) -> HTTPRequestOperation? {
    send(.head, path, parameters, headerFields: headerFields, success: success, failure: failure)
  }

  /// Sends a `POST` with the parameters in its body.
  @discardableResult
  public func post(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:], success: Success? = nil,
    failure: Failure? = nil
  ) -> HTTPRequestOperation? {
    send(.post, path, parameters, headerFields: headerFields, success: success, failure: failure)
  }

  /// Sends a `POST` with a multipart form.
  ///
  /// The form contains the parameters as fields, then the parts that `build` adds.
  @discardableResult
  public func post(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    multipart build: @escaping @Sendable (inout MultipartForm) throws -> Void, success: Success? = nil,
    failure: Failure? = nil
  ) -> HTTPRequestOperation? {
    send(
      .post, path, parameters, headerFields: headerFields, multipart: build, success: success, failure: failure)
  }

  /// Sends a `PUT` with the parameters in its body.
  @discardableResult
  public func put(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:], success: Success? = nil,
    failure: Failure? = nil
  ) -> HTTPRequestOperation? {
    send(.put, path, parameters, headerFields: headerFields, success: success, failure: failure)
  }

  /// Sends a `PATCH` with the parameters in its body.
  @discardableResult
  public func patch(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:], success: Success? = nil,
    failure: Failure? = nil
  ) -> HTTPRequestOperation? {
    send(.patch, path, parameters, headerFields: headerFields, success: success, failure: failure)
  }

  /// Sends a `DELETE` with the parameters in its query.
  @discardableResult
  public func delete(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:], success: Success? = nil,
    failure: Failure? = nil
  ) -> HTTPRequestOperation? {
    send(.delete, path, parameters, headerFields: headerFields, success: success, failure: failure)
  }
}
