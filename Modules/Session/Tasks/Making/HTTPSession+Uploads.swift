public import CurlewCore
public import CurlewLoading
public import CurlewSerialization
public import HTTPTypes

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
