public import CurlewCore
public import CurlewDownload
public import CurlewLoading
public import CurlewSerialization
public import FoundationEssentials
public import HTTPTypes

/// Data tasks.
///
/// A session task is created suspended: nothing is sent before `resume` or `run`. Creating it never fails. An error, such as an
/// invalid path or a hook that no interceptor of the chain asks, ends the task when it is resumed.
extension HTTPSession {
  /// Creates a task for a request, which is sent unchanged.
  ///
  /// ```swift
  /// let task = session.dataTask(try Request(.get, "https://example.com/birds"), .json([Bird].self))
  /// ```
  ///
  /// - Parameters:
  ///   - serializer: Validates and decodes the response; by default a successful response is returned as bytes.
  ///   - hooks: What the app has to say about the task.
  ///   - change: Changes the configuration, such as retries, pauses and settings. By default the session's retry policy applies,
  ///     and a suspended task releases its connection after ten seconds.
  public func dataTask<Serializer: ResponseSerializer>(
    _ request: Request, _ serializer: Serializer = DataResponseSerializer(),
    hooks: SessionTaskHooks = SessionTaskHooks(),
    _ change: (inout Transfer<Serializer.Output>.Configuration) throws -> Void = { _ in }
  ) -> DataTask<Serializer.Output> {
    DataTask(makeTask(.data, serializer, hooks, change) { .request(request) })
  }

  /// Creates a task whose request a function creates anew for each attempt.
  ///
  /// The task is the same for all attempts. Tokens, dates and signatures are therefore fresh in each of them:
  ///
  /// ```swift
  /// let task = session.dataTask(.json([Bird].self)) { configuration in
  ///   configuration.retry = .urlSessionManager(retryCount: 4, retryInterval: .seconds(2))
  /// } building: { attempt in
  ///   signed(try Request(.get, "https://example.com/birds"))
  /// }
  /// ```
  ///
  /// - Parameter request: Returns the request; called once for each attempt. Its error fails the attempt.
  public func dataTask<Serializer: ResponseSerializer>(
    _ serializer: Serializer, hooks: SessionTaskHooks = SessionTaskHooks(),
    _ change: (inout Transfer<Serializer.Output>.Configuration) throws -> Void = { _ in },
    building request: @escaping @Sendable (AttemptContext) async throws -> Request
  ) -> DataTask<Serializer.Output> {
    DataTask(makeTask(.data, serializer, hooks, change) { .builder(request) })
  }

  /// Creates a task for a path, with the session's base URL, fields and serializer.
  ///
  /// - Parameters:
  ///   - path: A path relative to the base URL, such as `birds/7`, or a whole URL. A path that begins with a slash begins at the
  ///     host, as in `BaseURL`.
  ///   - serializer: Validates and decodes the response; by default a successful response is returned as bytes.
  ///   - change: Changes the configuration, such as retries, pauses and settings.
  public func dataTask<Serializer: ResponseSerializer>(
    _ path: String, method: HTTPRequest.Method = .get, _ content: RequestContent = .none,
    _ serializer: Serializer = DataResponseSerializer(), parameters: Parameters? = nil,
    headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions(),
    hooks: SessionTaskHooks = SessionTaskHooks(),
    _ change: (inout Transfer<Serializer.Output>.Configuration) throws -> Void = { _ in }
  ) -> DataTask<Serializer.Output> {
    DataTask(
      makeTask(.data, serializer, hooks, change) {
        .request(try core.request(Call(method, path, parameters, content, headerFields, options)))
      })
  }

  /// Creates a task for a path whose response is decoded in the session's formats.
  ///
  /// The task fails with `unsupported` if the session has no format.
  public func dataTask<Value: Decodable & Sendable>(
    _ path: String, method: HTTPRequest.Method = .get, _ content: RequestContent = .none, as type: Value.Type,
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions(),
    hooks: SessionTaskHooks = SessionTaskHooks(),
    _ change: (inout Transfer<Value>.Configuration) throws -> Void = { _ in }
  ) -> DataTask<Value> {
    DataTask(makeTask(.data, Call(method, path, parameters, content, headerFields, options), as: type, hooks, change))
  }

  /// Creates the core of a task whose response is decoded in the session's formats.
  func makeTask<Value: Decodable & Sendable>(
    _ kind: SessionTask.Kind, _ call: Call, as type: Value.Type, _ hooks: SessionTaskHooks,
    _ change: (inout Transfer<Value>.Configuration) throws -> Void
  ) -> TaskCore {
    do {
      let (call, serializer) = try decoding(type, call)
      return makeTask(kind, serializer, hooks, change) { .request(try core.request(call)) }
    } catch {
      return failedTask(kind, hooks, TaskLink(), error)
    }
  }
}

/// Uploads: data tasks with a body of bytes, a file or a stream.
extension HTTPSession {
  /// Uploads a body with a request.
  ///
  /// The upload starts when its progress or its value is read, or with `resume`.
  ///
  /// ```swift
  /// let upload = session.upload(try Request(.put, "https://example.com/photo"), from: try .file(photo))
  /// ```
  ///
  /// - Parameters:
  ///   - body: The body; nil keeps that of the request.
  ///   - serializer: Validates and decodes the response; by default a successful response is returned as bytes.
  ///   - change: Changes the configuration, such as retries, pauses and settings.
  public func upload<Serializer: ResponseSerializer>(
    _ request: Request, from body: Body? = nil, _ serializer: Serializer = DataResponseSerializer(),
    hooks: SessionTaskHooks = SessionTaskHooks(),
    _ change: (inout Transfer<Serializer.Output>.Configuration) throws -> Void = { _ in }
  ) -> UploadTask<Serializer.Output> {
    UploadTask(
      makeTask(.upload, serializer, hooks, change) {
        var request = request
        if let body { request.body = body }
        return .request(request)
      })
  }

  /// Uploads content to a path, and decodes the response with a serializer.
  ///
  /// The session adds its base URL, its fields and the type of the content. Its retry policy applies if the content can be sent again:
  /// bytes, files, and forms of these.
  ///
  /// ```swift
  /// let upload = session.upload(.file(photo), to: "photos")
  /// for try await progress in upload { print(progress.fraction ?? 0) }
  /// ```
  ///
  /// - Parameter change: Changes the configuration, such as retries, pauses and settings.
  public func upload<Serializer: ResponseSerializer>(
    _ content: RequestContent, to path: String, method: HTTPRequest.Method = .post,
    _ serializer: Serializer = DataResponseSerializer(), parameters: Parameters? = nil,
    headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions(),
    hooks: SessionTaskHooks = SessionTaskHooks(),
    _ change: (inout Transfer<Serializer.Output>.Configuration) throws -> Void = { _ in }
  ) -> UploadTask<Serializer.Output> {
    UploadTask(
      makeTask(.upload, serializer, hooks, change) {
        .request(try core.request(Call(method, path, parameters, content, headerFields, options)))
      })
  }

  /// Uploads content to a path, and decodes the response in the session's formats.
  ///
  /// The task fails with `unsupported` if the session has no format.
  public func upload<Value: Decodable & Sendable>(
    _ content: RequestContent, to path: String, method: HTTPRequest.Method = .post, as type: Value.Type,
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions(),
    hooks: SessionTaskHooks = SessionTaskHooks(),
    _ change: (inout Transfer<Value>.Configuration) throws -> Void = { _ in }
  ) -> UploadTask<Value> {
    UploadTask(
      makeTask(.upload, Call(method, path, parameters, content, headerFields, options), as: type, hooks, change))
  }
}

/// Downloads, which end in a file.
extension HTTPSession {
  /// Downloads into a file, resuming an earlier download if there is one.
  ///
  /// The file appears when it is complete. All downloads of a session share one thread for their files. The download starts when its
  /// progress or its value is read, or with `resume`.
  ///
  /// ```swift
  /// for try await progress in session.download("atlas.zip", to: "atlas.zip") { print(progress.completed) }
  /// ```
  ///
  /// - Parameters:
  ///   - file: The path of the file, which must not exist unless `change` sets `file.collision`.
  ///   - change: Changes the configuration, such as verification, retries and the policy for existing files. By default the
  ///     download resumes as long as bytes arrive, and a suspended one releases its connection after ten seconds.
  public func download(
    _ path: String, to file: String, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), _ change: (inout DownloadConfiguration) throws -> Void = { _ in }
  ) -> DownloadTask {
    download(path, to: .file(file), parameters: parameters, headerFields: headerFields, options: options, change)
  }

  /// Downloads into the file at a `file` URL, like the method with a path.
  public func download(
    _ path: String, to file: URL, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), _ change: (inout DownloadConfiguration) throws -> Void = { _ in }
  ) -> DownloadTask {
    do {
      return download(
        path, to: try .file(file), parameters: parameters, headerFields: headerFields, options: options, change)
    } catch {
      return makeDownloadTask(to: .file(file.path), SessionTaskHooks(), change) { throw error }
    }
  }

  /// Downloads into a target, such as a file or a directory.
  ///
  /// In a directory the file gets the name that the response suggests; the app can also choose a location.
  ///
  /// - Parameters:
  ///   - hooks: What the app has to say about the task.
  ///   - change: Changes the configuration, such as verification and retries.
  public func download(
    _ path: String, to target: DownloadTarget, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), hooks: SessionTaskHooks = SessionTaskHooks(),
    _ change: (inout DownloadConfiguration) throws -> Void = { _ in }
  ) -> DownloadTask {
    makeDownloadTask(to: target, hooks, change) {
      try core.request(Call(.get, path, parameters, .none, headerFields, options))
    }
  }

  /// Downloads the response of a request into a target.
  ///
  /// ```swift
  /// let target = DownloadTarget.chosen(partialIn: "/srv/maps") { head in "/srv/maps/" + head.suggestedFileName }
  /// let download = session.download(try Request(.get, "https://example.com/atlas.zip"), to: target)
  /// ```
  ///
  /// - Parameters:
  ///   - target: The location of the file. `DownloadTarget.chosen` asks a function, once, after a response was accepted.
  ///   - hooks: What the app has to say about the task.
  ///   - change: Changes the configuration, such as verification and retries.
  public func download(
    _ request: Request, to target: DownloadTarget, hooks: SessionTaskHooks = SessionTaskHooks(),
    _ change: (inout DownloadConfiguration) throws -> Void = { _ in }
  ) -> DownloadTask {
    makeDownloadTask(to: target, hooks, change) { request }
  }

  /// Creates a task that resumes an interrupted download.
  ///
  /// The caller names the target again, because resume data contain no path. If its directory has no bytes of the download, the
  /// download starts over.
  ///
  /// - Parameters:
  ///   - data: The resume data of the earlier task.
  ///   - request: Replaces the request of the resume data, for example with a fresh link or with the secrets that
  ///     `DownloadResumeData.omittedSecrets` lists; nil uses the request as it is.
  ///   - target: The target of the earlier task.
  public func download(
    resuming data: DownloadResumeData, with request: Request? = nil, to target: DownloadTarget,
    hooks: SessionTaskHooks = SessionTaskHooks(),
    _ change: (inout DownloadConfiguration) throws -> Void = { _ in }
  ) -> DownloadTask {
    let renew = { (configuration: inout DownloadConfiguration) in
      configuration.renewsLink = request != nil
      try change(&configuration)
    }
    return makeDownloadTask(to: target.identified(by: data.identifier), hooks, renew) { request ?? data.request }
  }
}
