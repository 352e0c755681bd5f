public import CurlewCore
public import CurlewLoading
public import CurlewSerialization
public import HTTPTypes

/// Upload tasks: data tasks with a body of bytes, a file or a stream.
extension HTTPSession {
  /// Creates a task that uploads a body with a request.
  ///
  /// ```swift
  /// let task = session.uploadTask(try Request(.put, "https://example.com/photo"), from: try .file(photo))
  /// ```
  ///
  /// - Parameters:
  ///   - body: The body; nil keeps that of the request.
  ///   - serializer: Validates and decodes the response; by default a successful response is returned as bytes.
  ///   - change: Changes the configuration, such as retries, pauses and settings.
  public func uploadTask<Serializer: ResponseSerializer>(
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

  /// Creates a task that uploads content to a path.
  ///
  /// The session adds its base URL, its fields and the type of the content.
  ///
  /// - Parameter change: Changes the configuration, such as retries, pauses and settings.
  public func uploadTask<Serializer: ResponseSerializer>(
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

  /// Creates a task that uploads content and decodes the response in the session's formats.
  ///
  /// The task fails with `unsupported` if the session has no format.
  public func uploadTask<Value: Decodable & Sendable>(
    _ content: RequestContent, to path: String, method: HTTPRequest.Method = .post, as type: Value.Type,
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions(),
    hooks: SessionTaskHooks = SessionTaskHooks(),
    _ change: (inout Transfer<Value>.Configuration) throws -> Void = { _ in }
  ) -> UploadTask<Value> {
    UploadTask(
      makeTask(.upload, Call(method, path, parameters, content, headerFields, options), as: type, hooks, change))
  }
}
