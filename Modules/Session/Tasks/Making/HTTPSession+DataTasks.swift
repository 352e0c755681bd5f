public import CurlewCore
public import CurlewLoading
public import CurlewSerialization
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
