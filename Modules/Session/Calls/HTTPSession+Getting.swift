public import CurlewCore
public import CurlewSerialization
public import HTTPTypes

/// Methods without content.
///
/// Each returns a value in the session's formats, or the value of a serializer. As `Data`, a value is the bytes of the body. A
/// response that is not successful is an error.
extension HTTPSession {
  /// Sends a `GET` and returns the decoded value, whose type the caller names: `let bird: Bird = try await session.get("birds/7")`.
  ///
  /// - Parameters:
  ///   - path: A path relative to the base URL, such as `birds/7`, or a whole URL. A path that begins with a slash begins at the
  ///     host, as in `BaseURL`.
  ///   - parameters: The parameters of the query.
  ///   - headerFields: Fields that replace the session's fields of the same names.
  ///   - options: The options; the session's apply where they are unset.
  /// - Throws: `NetworkError`; `CancellationError`.
  public func get<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions()
  ) async throws -> Value {
    try await decoded(Value.self, of: Call(.get, path, parameters, .none, headerFields, options))
  }

  /// Reminds of the type when nothing says which one the body has.
  @available(
    *, unavailable, message: "Name the type of the body (let bird: Bird = …), or a serializer (such as .data)."
  )
  public func get(
    _ path: String, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions()
  ) async throws -> Never { throw CancellationError() }

  /// Sends a `GET` and returns the value of a serializer.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  @discardableResult
  public func get<Serializer: ResponseSerializer>(
    _ path: String, _ serializer: Serializer,
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Serializer.Output {
    try await value(of: Call(.get, path, parameters, .none, headerFields, options), serializer)
  }

  /// Sends a `DELETE` and returns the decoded value.
  ///
  /// - Parameters:
  ///   - path: A path relative to the base URL, such as `birds/7`, or a whole URL. A path that begins with a slash begins at the
  ///     host, as in `BaseURL`.
  ///   - parameters: The parameters of the query.
  ///   - headerFields: Fields that replace the session's fields of the same names.
  ///   - options: The options; the session's apply where they are unset.
  /// - Throws: `NetworkError`; `CancellationError`.
  public func delete<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions()
  ) async throws -> Value {
    try await decoded(Value.self, of: Call(.delete, path, parameters, .none, headerFields, options))
  }

  /// Sends a `DELETE` and returns the value of a serializer, by default the bytes of the body.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  @discardableResult
  public func delete<Serializer: ResponseSerializer>(
    _ path: String, _ serializer: Serializer = DataResponseSerializer(),
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Serializer.Output {
    try await value(of: Call(.delete, path, parameters, .none, headerFields, options), serializer)
  }

  /// Sends a `HEAD` and returns the head of a successful response.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  @discardableResult
  public func head(
    _ path: String, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions()
  ) async throws -> ResponseHead {
    try await response(to: Call(.head, path, parameters, .none, headerFields, options), DataResponseSerializer()).head
  }
}
