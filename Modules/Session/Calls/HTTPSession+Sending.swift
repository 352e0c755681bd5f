public import CurlewCore
public import CurlewSerialization
public import HTTPTypes

/// Methods with content.
///
/// Each returns a value in the session's formats, or the value of a serializer. As `Data`, a value is the bytes of the body. A
/// response that is not successful is an error.
extension HTTPSession {
  /// Sends a `POST` and returns the decoded value.
  ///
  /// - Parameters:
  ///   - path: A path relative to the base URL, such as `birds/7`, or a whole URL. A path that begins with a slash begins at the
  ///     host, as in `BaseURL`.
  ///   - content: The body; without one, the session's `requestSerializer` writes the parameters.
  ///   - parameters: The parameters, which go into the query if there is content.
  ///   - headerFields: Fields that replace the session's fields of the same names.
  ///   - options: The options; the session's apply where they are unset.
  /// - Throws: `NetworkError`; `CancellationError`.
  public func post<Value: Decodable & Sendable>(
    _ path: String, _ content: RequestContent = .none, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions()
  ) async throws -> Value {
    try await decoded(Value.self, of: Call(.post, path, parameters, content, headerFields, options))
  }

  /// Sends a `POST` and returns the value of a serializer, by default the bytes of the body.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  @discardableResult
  public func post<Serializer: ResponseSerializer>(
    _ path: String, _ content: RequestContent = .none,
    _ serializer: Serializer = DataResponseSerializer(),
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Serializer.Output {
    try await value(of: Call(.post, path, parameters, content, headerFields, options), serializer)
  }

  /// Sends a `PUT` and returns the decoded value.
  ///
  /// - Parameters:
  ///   - path: A path relative to the base URL, such as `birds/7`, or a whole URL. A path that begins with a slash begins at the
  ///     host, as in `BaseURL`.
  ///   - content: The body; without one, the session's `requestSerializer` writes the parameters.
  ///   - parameters: The parameters, which go into the query if there is content.
  ///   - headerFields: Fields that replace the session's fields of the same names.
  ///   - options: The options; the session's apply where they are unset.
  /// - Throws: `NetworkError`; `CancellationError`.
  public func put<Value: Decodable & Sendable>(
    _ path: String, _ content: RequestContent = .none, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions()
  ) async throws -> Value {
    try await decoded(Value.self, of: Call(.put, path, parameters, content, headerFields, options))
  }

  /// Sends a `PUT` and returns the value of a serializer, by default the bytes of the body.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  @discardableResult
  public func put<Serializer: ResponseSerializer>(
    _ path: String, _ content: RequestContent = .none,
    _ serializer: Serializer = DataResponseSerializer(),
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Serializer.Output {
    try await value(of: Call(.put, path, parameters, content, headerFields, options), serializer)
  }

  /// Sends a `PATCH` and returns the decoded value.
  ///
  /// - Parameters:
  ///   - path: A path relative to the base URL, such as `birds/7`, or a whole URL. A path that begins with a slash begins at the
  ///     host, as in `BaseURL`.
  ///   - content: The body; without one, the session's `requestSerializer` writes the parameters.
  ///   - parameters: The parameters, which go into the query if there is content.
  ///   - headerFields: Fields that replace the session's fields of the same names.
  ///   - options: The options; the session's apply where they are unset.
  /// - Throws: `NetworkError`; `CancellationError`.
  public func patch<Value: Decodable & Sendable>(
    _ path: String, _ content: RequestContent = .none, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions()
  ) async throws -> Value {
    try await decoded(Value.self, of: Call(.patch, path, parameters, content, headerFields, options))
  }

  /// Sends a `PATCH` and returns the value of a serializer, by default the bytes of the body.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  @discardableResult
  public func patch<Serializer: ResponseSerializer>(
    _ path: String, _ content: RequestContent = .none,
    _ serializer: Serializer = DataResponseSerializer(),
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Serializer.Output {
    try await value(of: Call(.patch, path, parameters, content, headerFields, options), serializer)
  }
}
