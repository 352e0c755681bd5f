public import FoundationEssentials

extension RequestContent {
  /// A value as JSON.
  ///
  /// The session's `JSONCoding` encodes it if its formats have one, otherwise the default coding.
  public static func json(_ value: some Encodable & Sendable) -> RequestContent {
    RequestContent { request, session in
      var request = request
      request.body = .bytes(try session.json.encode(value))
      request.setContentType(.json)
      return request
    }
  }
}

extension SessionConfiguration {
  /// The JSON coding, whatever the session's first format is.
  var json: JSONCoding { formats.all.lazy.compactMap { $0 as? JSONCoding }.first ?? JSONCoding() }
}

/// Methods with JSON.
extension HTTPSession {
  /// Sends a `POST` with a value as JSON and returns the decoded value.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  public func post<Value: Decodable & Sendable>(
    _ path: String, json: any Encodable & Sendable, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions()
  ) async throws -> Value {
    try await post(path, .json(json), parameters: parameters, headerFields: headerFields, options: options)
  }

  /// Sends a `POST` with a value as JSON and returns the bytes of the body.
  ///
  /// Rejects a response that is not successful.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  @discardableResult
  public func post(
    _ path: String, json: any Encodable & Sendable,
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Data {
    try await post(
      path, .json(json), .data, parameters: parameters, headerFields: headerFields, options: options)
  }

  /// Sends a `POST` with a value as JSON and returns the value of a serializer.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  @discardableResult
  public func post<Serializer: ResponseSerializer>(
    _ path: String, json: any Encodable & Sendable, _ serializer: Serializer,
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Serializer.Output {
    try await post(
      path, .json(json), serializer, parameters: parameters, headerFields: headerFields, options: options)
  }

  /// Sends a `PUT` with a value as JSON and returns the decoded value.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  public func put<Value: Decodable & Sendable>(
    _ path: String, json: any Encodable & Sendable, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions()
  ) async throws -> Value {
    try await put(path, .json(json), parameters: parameters, headerFields: headerFields, options: options)
  }

  /// Sends a `PUT` with a value as JSON and returns the bytes of the body.
  ///
  /// Rejects a response that is not successful.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  @discardableResult
  public func put(
    _ path: String, json: any Encodable & Sendable,
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Data {
    try await put(
      path, .json(json), .data, parameters: parameters, headerFields: headerFields, options: options)
  }

  /// Sends a `PUT` with a value as JSON and returns the value of a serializer.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  @discardableResult
  public func put<Serializer: ResponseSerializer>(
    _ path: String, json: any Encodable & Sendable, _ serializer: Serializer,
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Serializer.Output {
    try await put(
      path, .json(json), serializer, parameters: parameters, headerFields: headerFields, options: options)
  }

  /// Sends a `PATCH` with a value as JSON and returns the decoded value.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  public func patch<Value: Decodable & Sendable>(
    _ path: String, json: any Encodable & Sendable, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions()
  ) async throws -> Value {
    try await patch(path, .json(json), parameters: parameters, headerFields: headerFields, options: options)
  }

  /// Sends a `PATCH` with a value as JSON and returns the bytes of the body.
  ///
  /// Rejects a response that is not successful.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  @discardableResult
  public func patch(
    _ path: String, json: any Encodable & Sendable,
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Data {
    try await patch(
      path, .json(json), .data, parameters: parameters, headerFields: headerFields, options: options)
  }

  /// Sends a `PATCH` with a value as JSON and returns the value of a serializer.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  @discardableResult
  public func patch<Serializer: ResponseSerializer>(
    _ path: String, json: any Encodable & Sendable, _ serializer: Serializer,
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Serializer.Output {
    try await patch(
      path, .json(json), serializer, parameters: parameters, headerFields: headerFields, options: options)
  }
}
