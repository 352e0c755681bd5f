public import CurlewCore
public import CurlewSerialization
public import FoundationEssentials
public import HTTPTypes

/// Calls that post forms, as web pages do.
extension HTTPSession {
  /// Posts a form and returns the decoded value.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  public func post<Value: Decodable & Sendable>(
    _ path: String, form: Parameters, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions()
  ) async throws -> Value {
    try await post(path, .form(form), parameters: parameters, headerFields: headerFields, options: options)
  }

  /// Posts a form and returns the bytes of the body.
  ///
  /// Rejects a response that is not successful.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  @discardableResult
  public func post(
    _ path: String, form: Parameters,
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Data {
    try await post(path, .form(form), .data, parameters: parameters, headerFields: headerFields, options: options)
  }

  /// Posts a form and returns the value of a serializer.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  @discardableResult
  public func post<Serializer: ResponseSerializer>(
    _ path: String, form: Parameters, _ serializer: Serializer,
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Serializer.Output {
    try await post(path, .form(form), serializer, parameters: parameters, headerFields: headerFields, options: options)
  }

  /// Posts a multipart form and returns the decoded value.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  public func post<Value: Decodable & Sendable>(
    _ path: String, multipart build: @escaping @Sendable (inout MultipartForm) throws -> Void,
    parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions()
  ) async throws -> Value {
    try await post(path, .multipart(nil, build), parameters: parameters, headerFields: headerFields, options: options)
  }

  /// Posts a multipart form and returns the bytes of the body.
  ///
  /// Rejects a response that is not successful.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  @discardableResult
  public func post(
    _ path: String, multipart build: @escaping @Sendable (inout MultipartForm) throws -> Void,
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Data {
    try await post(
      path, .multipart(nil, build), .data, parameters: parameters, headerFields: headerFields, options: options)
  }

  /// Posts a multipart form and returns the value of a serializer.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  @discardableResult
  public func post<Serializer: ResponseSerializer>(
    _ path: String, multipart build: @escaping @Sendable (inout MultipartForm) throws -> Void,
    _ serializer: Serializer,
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Serializer.Output {
    try await post(
      path, .multipart(nil, build), serializer, parameters: parameters, headerFields: headerFields, options: options)
  }
}
