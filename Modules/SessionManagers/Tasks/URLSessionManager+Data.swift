public import CurlewCore
import CurlewDownload
public import CurlewLoading
public import CurlewSerialization
public import CurlewSession
import Dispatch

extension URLSessionManager {
  /// Creates a data task for a request.
  ///
  /// The configuration's header fields are added where the request has none of the name.
  ///
  /// - Parameters:
  ///   - settings: What the task uses in place of the manager's settings.
  ///   - uploadProgress: Receives the progress of the request's body, at most ten times per second. The last one is that of the whole body,
  ///     before the response.
  ///   - downloadProgress: Receives the progress of the response's body, at most ten times per second and once at the end.
  ///   - completion: Called once at the end; nil if `DataTask.value` is read instead.
  public func dataTask(
    with request: Request, settings: TaskSettings = TaskSettings(), uploadProgress: ProgressHandler? = nil,
    downloadProgress: ProgressHandler? = nil, completion: Completion?
  ) -> DataTask<any Sendable> {
    dataTask(
      with: completed(request), settings: settings, uploadProgress: uploadProgress, downloadProgress: downloadProgress,
      ending: Self.ending(completion))
  }

  /// Creates a data task whose value has the type of a serializer.
  ///
  /// ```swift
  /// let task = manager.dataTask(with: request, decoding: .json([Bird].self)) { response, birds in
  ///   show(birds)
  /// }
  /// task.resume()
  /// ```
  ///
  /// - Parameter completion: Called once at the end, with the response, if one arrived, and the value or the error.
  public func dataTask<Serializer: ResponseSerializer>(
    with request: Request, decoding serializer: Serializer, settings: TaskSettings = TaskSettings(),
    uploadProgress: ProgressHandler? = nil, downloadProgress: ProgressHandler? = nil,
    completion: (@Sendable (ResponseHead?, Result<Serializer.Output, any Error>) -> Void)?
  ) -> DataTask<Serializer.Output> {
    let (record, request) = (record(settings, Self.ending(completion)), completed(request))
    return made(record, uploadProgress, downloadProgress) { [self] session in
      session.dataTask(request, serializer, hooks: taskHooks(record, session)) {
        try configure(&$0, settings, record, session)
      }
    }
  }

  /// Creates a data task that is retried, with a new request for each attempt.
  ///
  /// It has the contract of FWFramework: after each attempt whose limits allow another one, `shouldRetry` is asked; without it,
  /// every error and every status except 2xx is retried. The task is the same for all attempts, so cancelling it ends a wait
  /// and any attempt. `SessionTask.attemptCount` and `totalTime` count all attempts, also after a failure.
  ///
  /// - Parameters:
  ///   - requestBuilder: Creates the request; called once for each attempt. An error fails the task.
  ///   - retryCount: How many attempts may follow the first; a negative value means none.
  ///   - retryInterval: The delay before each.
  ///   - timeoutInterval: The time from the start of the first attempt, after which no other attempt begins. It interrupts no
  ///     attempt; set `Timeouts.total` in the request's options for that. Zero and negative values mean no limit.
  ///   - repeatsUnsafe: Whether a method such as POST is repeated even if the server may have processed it.
  ///   - shouldRetry: Receives response, value and error on `completionQueue`, and a reply that may be used later. Only the
  ///     first answer counts, and releasing the reply means no.
  ///   - taskHandler: Called before each attempt after the first, on `callbackQueue`, with the same task.
  ///   - completion: Called once, with the outcome of the last attempt.
  public func dataTask(
    requestBuilder: @escaping @Sendable () throws -> Request, retryCount: Int, retryInterval: Duration,
    timeoutInterval: Duration = .zero, repeatsUnsafe: Bool = false, settings: TaskSettings = TaskSettings(),
    shouldRetry: (@Sendable (ResponseHead?, (any Sendable)?, (any Error)?, RetryReply) -> Void)? = nil,
    taskHandler: (@Sendable (SessionTask) -> Void)? = nil, uploadProgress: ProgressHandler? = nil,
    downloadProgress: ProgressHandler? = nil, completion: Completion?
  ) -> DataTask<any Sendable> {
    let record = record(settings, Self.ending(completion), taskHandler: taskHandler)
    var settings = settings
    settings.retry = .urlSessionManager(
      retryCount: retryCount, retryInterval: retryInterval, timeoutInterval: timeoutInterval,
      repeatsUnsafe: repeatsUnsafe)
    let serializer = serializer(settings)
    return made(record, uploadProgress, downloadProgress) { [self, settings] session in
      retried(serializer, session, record, settings, shouldRetry) { [self] in completed(try requestBuilder()) }
    }
  }

  private func retried<Serializer: ResponseSerializer<any Sendable>>(
    _ serializer: Serializer, _ session: HTTPSession, _ record: TaskRecord, _ settings: TaskSettings,
    _ shouldRetry: (@Sendable (ResponseHead?, (any Sendable)?, (any Error)?, RetryReply) -> Void)?,
    _ build: @escaping @Sendable () throws -> Request
  ) -> DataTask<any Sendable> {
    session.dataTask(
      serializer, hooks: taskHooks(record, session),
      {
        try configure(&$0, settings, record, session)
        guard let shouldRetry else { return }
        $0.askToRetry { [self] response, value, error, reply in
          (completionQueue ?? .main).async { shouldRetry(response, value, error, reply) }
        }
      }, building: { _ in try build() })
  }

  /// Creates a data task for a request that is sent as it is.
  func dataTask(
    with request: Request, settings: TaskSettings, uploadProgress: ProgressHandler?, downloadProgress: ProgressHandler?,
    ending: TaskEnding?
  ) -> DataTask<any Sendable> {
    let record = record(settings, ending)
    let serializer = serializer(settings)
    return made(record, uploadProgress, downloadProgress) { [self] session in
      plain(request, serializer, session, record, settings)
    }
  }

  private func plain<Serializer: ResponseSerializer<any Sendable>>(
    _ request: Request, _ serializer: Serializer, _ session: HTTPSession, _ record: TaskRecord, _ settings: TaskSettings
  ) -> DataTask<any Sendable> {
    session.dataTask(request, serializer, hooks: taskHooks(record, session)) {
      try configure(&$0, settings, record, session)
    }
  }

  // MARK: - What data and upload tasks share

  /// Returns the serializer of a task without the type of its values.
  func serializer(_ settings: TaskSettings) -> any ResponseSerializer<any Sendable> {
    settings.responseSerializer?.erased ?? state.withLock { $0.erasedSerializer }
  }

  /// Returns a request with the configuration's header fields where it has none.
  func completed(_ request: Request) -> Request { session.completed(request) }

  /// Applies the settings of a task to its transfer.
  func configure<Value>(
    _ configuration: inout Transfer<Value>.Configuration, _ settings: TaskSettings, _ record: TaskRecord,
    _ session: HTTPSession
  ) throws {
    if record.judgesServers {
      configuration.settings = try exchangeSettings(record, session, configuration.settings)
    }
    if let retry = settings.retry { configuration.retry = retry }
  }

  /// Creates a data or upload task, and delivers its progress and its outcome.
  func made<Value: Sendable, Task: DataTask<Value>>(
    _ record: TaskRecord, _ uploadProgress: ProgressHandler?, _ downloadProgress: ProgressHandler?,
    _ make: (HTTPSession) -> Task
  ) -> Task {
    let task = register(record, make)
    if let uploadProgress { task.uploadProgress?.observe(on: callbackExecutor, uploadProgress) }
    if let downloadProgress { task.downloadProgress?.observe(on: callbackExecutor, downloadProgress) }
    let identifier = task.identifier
    let callsBack = record.callsBack || uploadProgress != nil || downloadProgress != nil
    task.onFinish(on: .inline) { [self] outcome in
      ended(identifier, record, outcome.erased, callsBack: callsBack)
    }
    return task
  }

  static func ending(_ completion: Completion?) -> TaskEnding? {
    guard let completion else { return nil }
    return { task, outcome in completion(task?.response, try? outcome.get(), outcome.error) }
  }

  private static func ending<Output>(
    _ completion: (@Sendable (ResponseHead?, Result<Output, any Error>) -> Void)?
  ) -> TaskEnding? {
    guard let completion else { return nil }
    return { task, outcome in
      completion(
        task?.response,
        Result {
          if let value = try outcome.get() as? Output { return value }
          throw NetworkError(
            .becameDownload, stage: .decoding, message: "The task became a download, whose file is its result.")
        })
    }
  }
}

/// What one task uses in place of the manager's settings; nil takes the manager's.
///
/// The manager reads its own settings when it creates a task, so a later change does not affect tasks that exist.
///
/// ```swift
/// var settings = TaskSettings()
/// settings.responseSerializer = .json([Bird].self)
/// let task = try manager.dataTask(with: request, settings: settings) { response, birds, error in show(birds) }
/// task.resume()
/// ```
public struct TaskSettings: Sendable {
  /// Checks the response and decodes its value.
  public var responseSerializer: (any ResponseSerializer)?
  /// Evaluates the server's certificates.
  public var securityPolicy: (any ServerTrustEvaluating)?
  /// Whether, when and how often to retry a failed attempt.
  public var retry: RetryPolicy?

  /// Creates settings that change nothing.
  public init() {}
}
