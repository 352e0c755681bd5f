public import CurlewSerialization
public import HTTPTypes

/// A form of `send` for each method.
///
/// Each returns nil and calls `failure` if no request could be created.
extension HTTPRequestOperationManager {
  /// Sends a `GET` with the parameters in its query.
  @discardableResult
  public func get(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:], success: Success? = nil,
    failure: Failure? = nil
  ) -> HTTPRequestOperation? {
    send(.get, path, parameters, headerFields: headerFields, success: success, failure: failure)
  }

  /// Sends a `HEAD` with the parameters in its query; the value is empty `Data`.
  @discardableResult
  public func head(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:], success: Success? = nil,
    failure: Failure? = nil
  ) -> HTTPRequestOperation? {
    send(.head, path, parameters, headerFields: headerFields, success: success, failure: failure)
  }

  /// Sends a `POST` with the parameters in its body.
  @discardableResult
  public func post(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:], success: Success? = nil,
    failure: Failure? = nil
  ) -> HTTPRequestOperation? {
    send(.post, path, parameters, headerFields: headerFields, success: success, failure: failure)
  }

  /// Sends a `POST` with a multipart form.
  ///
  /// The form contains the parameters as fields, then the parts that `build` adds.
  @discardableResult
  public func post(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    multipart build: @escaping @Sendable (inout MultipartForm) throws -> Void, success: Success? = nil,
    failure: Failure? = nil
  ) -> HTTPRequestOperation? {
    send(
      .post, path, parameters, headerFields: headerFields, multipart: build, success: success, failure: failure)
  }

  /// Sends a `PUT` with the parameters in its body.
  @discardableResult
  public func put(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:], success: Success? = nil,
    failure: Failure? = nil
  ) -> HTTPRequestOperation? {
    send(.put, path, parameters, headerFields: headerFields, success: success, failure: failure)
  }

  /// Sends a `PATCH` with the parameters in its body.
  @discardableResult
  public func patch(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:], success: Success? = nil,
    failure: Failure? = nil
  ) -> HTTPRequestOperation? {
    send(.patch, path, parameters, headerFields: headerFields, success: success, failure: failure)
  }

  /// Sends a `DELETE` with the parameters in its query.
  @discardableResult
  public func delete(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:], success: Success? = nil,
    failure: Failure? = nil
  ) -> HTTPRequestOperation? {
    send(.delete, path, parameters, headerFields: headerFields, success: success, failure: failure)
  }
}
