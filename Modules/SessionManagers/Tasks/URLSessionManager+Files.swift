public import CurlewCore
public import CurlewDownload
import CurlewLoading
import CurlewSerialization
public import CurlewSession
public import FoundationEssentials

extension URLSessionManager {
  /// Called once when a download has ended, with the response, the file's path and the error.
  ///
  /// The path is nil if there is an error.
  public typealias DownloadCompletion = @Sendable (ResponseHead?, _ path: String?, (any Error)?) -> Void

  // MARK: - Uploads

  /// Creates a task that uploads a file.
  ///
  /// The file is read while it is sent, in constant memory. A missing file is the error of the task.
  ///
  /// - Parameters:
  ///   - progress: Receives the progress of the file, at most ten times per second. The last one is that of the whole file,
  ///     before the response.
  ///   - completion: Called once at the end; nil if `DataTask.value` is read instead.
  public func uploadTask(
    with request: Request, fromFile file: URL, settings: TaskSettings = TaskSettings(),
    progress: ProgressHandler? = nil, completion: Completion?
  ) -> UploadTask<any Sendable> {
    let body = Result { () throws(NetworkError) in try Body.file(file) }
    return uploadTask(
      with: completed(request), body: { () throws(NetworkError) in try body.get() }, settings: settings,
      progress: progress, ending: Self.ending(completion))
  }

  /// Creates a task that uploads bytes.
  public func uploadTask(
    with request: Request, from data: Data, settings: TaskSettings = TaskSettings(), progress: ProgressHandler? = nil,
    completion: Completion?
  ) -> UploadTask<any Sendable> {
    uploadTask(
      with: completed(request), body: { () throws(NetworkError) in .bytes(data) }, settings: settings,
      progress: progress, ending: Self.ending(completion))
  }

  /// Creates a task that uploads the body of its request, such as a stream.
  ///
  /// A stream is sent once. If the server asks for credentials or redirects, `SessionHooks.taskNeedsNewBody` is asked for
  /// another.
  public func uploadTask(
    withStreamedRequest request: Request, settings: TaskSettings = TaskSettings(), progress: ProgressHandler? = nil,
    completion: Completion?
  ) -> UploadTask<any Sendable> {
    uploadTask(
      with: completed(request), settings: settings, progress: progress, ending: Self.ending(completion))
  }

  /// Creates an upload task for a request that is sent as it is.
  ///
  /// - Parameters:
  ///   - body: Its body; by default that of the request. If it is an error, the task fails with it.
  ///   - willBegin: Called before each attempt, which waits for it.
  func uploadTask(
    with request: Request, body: (@Sendable () throws(NetworkError) -> Body)? = nil, settings: TaskSettings,
    progress: ProgressHandler?, ending: TaskEnding?, willBegin: (@Sendable () async throws -> Void)? = nil
  ) -> UploadTask<any Sendable> {
    let record = record(settings, ending, willBegin: willBegin)
    let serializer = serializer(settings)
    return made(record, progress, nil) { [self] session in
      upload(request, body, serializer, session, record, settings)
    }
  }

  private func upload<Serializer: ResponseSerializer<any Sendable>>(
    _ request: Request, _ body: (@Sendable () throws(NetworkError) -> Body)?, _ serializer: Serializer,
    _ session: HTTPSession, _ record: TaskRecord, _ settings: TaskSettings
  ) -> UploadTask<any Sendable> {
    let given = Result { try body?() }
    return session.upload(request, from: (try? given.get()) ?? nil, serializer, hooks: taskHooks(record, session)) {
      _ = try given.get()
      try configure(&$0, settings, record, session)
    }
  }

  // MARK: - Downloads

  /// Creates a task that downloads into a file, going on with an earlier download to the same target.
  ///
  /// The file has its path before `completion` is called; it is complete, or does not exist. A file that exists there is an
  /// error unless `change` sets `file.collision`. The body of a refused response, such as a 404, is never stored. The path is
  /// that of `SessionHooks.downloadTaskDestination` if it returns one, and otherwise that of `target`; for a path that depends
  /// on the response, use `DownloadTarget.chosen(partialIn:identifier:_:)`. Of one URL, several downloads into a directory may
  /// run at once; each keeps its bytes in a partial file of its own.
  ///
  /// - Parameters:
  ///   - change: Changes the configuration, such as collision, verification and retries.
  ///   - progress: Receives the progress of the file, at most ten times per second and once at the end.
  public func downloadTask(
    with request: Request, to target: DownloadTarget, settings: TaskSettings = TaskSettings(),
    changing change: (inout DownloadConfiguration) throws -> Void = { _ in }, progress: ProgressHandler? = nil,
    completion: DownloadCompletion?
  ) -> DownloadTask {
    let (record, request) = (record(settings, Self.ending(completion)), completed(request))
    let target = claimed(target, for: request.url, record)
    return made(record, progress) { [self] session in
      session.download(request, to: redirected(target, record), hooks: taskHooks(record, session)) {
        try configure(&$0, settings, record, session)
        try change(&$0)
        record.watch(&$0.file)
      }
    }
  }

  /// Creates a task that continues an earlier download from its resume data.
  ///
  /// The data is checked when it is read (`DownloadResumeData.init(_:)`), and the bytes when they are used: a file that has
  /// changed on the server is downloaded anew.
  ///
  /// - Parameter request: The request to send in place of that in the data, such as one with a fresh link; nil for that in the
  ///   data.
  public func downloadTask(
    resuming data: DownloadResumeData, with request: Request? = nil, to target: DownloadTarget,
    settings: TaskSettings = TaskSettings(),
    changing change: (inout DownloadConfiguration) throws -> Void = { _ in }, progress: ProgressHandler? = nil,
    completion: DownloadCompletion?
  ) -> DownloadTask {
    let record = record(settings, Self.ending(completion))
    let target = claimed(
      target.identified(by: data.identifier), for: (request ?? data.request).url, record, isResumed: true)
    return made(record, progress) { [self] session in
      session.download(
        resuming: data, with: request, to: redirected(target, record), hooks: taskHooks(record, session)
      ) {
        try configure(&$0, settings, record, session)
        try change(&$0)
        record.watch(&$0.file)
      }
    }
  }

  private func configure(
    _ configuration: inout DownloadConfiguration, _ settings: TaskSettings, _ record: TaskRecord,
    _ session: HTTPSession
  ) throws {
    if record.judgesServers {
      configuration.settings = try exchangeSettings(record, session, configuration.settings)
    }
    if let retry = settings.retry { configuration.retry = retry }
  }

  private func made(
    _ record: TaskRecord, _ progress: ProgressHandler?, _ make: (HTTPSession) -> DownloadTask
  ) -> DownloadTask {
    let task = register(record, make)
    if let progress { task.downloadProgress?.observe(on: callbackExecutor, progress) }
    follow(task, record)
    return task
  }

  private static func ending(_ completion: DownloadCompletion?) -> TaskEnding? {
    guard let completion else { return nil }
    return { task, outcome in
      completion(task?.response, (try? outcome.get() as? DownloadResult)?.path, outcome.error)
    }
  }
}
