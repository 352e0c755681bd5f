public import CurlewCore
public import CurlewSerialization
public import HTTPTypes

/// Calls with any method.
extension HTTPSession {
  /// Sends a request with any method and returns the decoded value.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  public func request<Value: Decodable & Sendable>(
    _ method: HTTPRequest.Method, _ path: String, _ content: RequestContent = .none, parameters: Parameters? = nil,
    headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Value {
    try await decoded(Value.self, of: Call(method, path, parameters, content, headerFields, options))
  }

  /// Sends a request with any method and returns the value of a serializer, by default the bytes of the body.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  @discardableResult
  public func request<Serializer: ResponseSerializer>(
    _ method: HTTPRequest.Method, _ path: String, _ content: RequestContent = .none,
    _ serializer: Serializer = DataResponseSerializer(), parameters: Parameters? = nil,
    headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Serializer.Output {
    try await value(of: Call(method, path, parameters, content, headerFields, options), serializer)
  }

  /// Sends a request and returns the value, the head and the measurements.
  ///
  /// ```swift
  /// let response = try await session.response(.get, "birds/7", as: Bird.self)
  /// print(response.value.name, response.head.headerFields[.eTag] ?? "", response.metrics.last?.phases.total ?? .zero)
  /// ```
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  public func response<Value: Decodable & Sendable>(
    _ method: HTTPRequest.Method, _ path: String, _ content: RequestContent = .none, as type: Value.Type,
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> DecodedResponse<Value> {
    let (call, serializer) = try decoding(type, Call(method, path, parameters, content, headerFields, options))
    return try await response(to: call, serializer)
  }

  /// Sends a request and returns the value of a serializer, head and measurements.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  public func response<Serializer: ResponseSerializer>(
    _ method: HTTPRequest.Method, _ path: String, _ content: RequestContent = .none,
    _ serializer: Serializer = DataResponseSerializer(), parameters: Parameters? = nil,
    headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> DecodedResponse<Serializer.Output> {
    try await response(to: Call(method, path, parameters, content, headerFields, options), serializer)
  }
}
