public import CurlewCore
public import CurlewSerialization
public import CurlewSession
public import HTTPTypes

/// A form of `send` for each method.
///
/// Each returns nil and calls `failure` if no task could be created.
extension HTTPSessionManager {
  /// Sends a `GET` with the parameters in its query.
  ///
  /// - Parameter progress: Receives the progress of the response's body, on the callback queue.
  @discardableResult
  public func get(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(),
    progress: ProgressHandler? = nil, success: Success? = nil, failure: Failure? = nil
  ) -> DataTask<any Sendable>? {
    send(
      .get, path, parameters, headerFields: headerFields, options: options, settings: settings,
      downloadProgress: progress, success: success, failure: failure)
  }

  /// Sends a `HEAD` with the parameters in its query; the value is empty `Data`.
  @discardableResult
  public func head(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(), success: Success? = nil,
    failure: Failure? = nil
  ) -> DataTask<any Sendable>? {
    send(
      .head, path, parameters, headerFields: headerFields, options: options, settings: settings, success: success,
      failure: failure)
  }

  /// Sends a `POST` with the parameters in its body.
  ///
  /// - Parameter progress: Receives the progress of the request's body, on the callback queue.
  @discardableResult
  public func post(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(),
    progress: ProgressHandler? = nil, success: Success? = nil, failure: Failure? = nil
  ) -> DataTask<any Sendable>? {
    send(
      .post, path, parameters, headerFields: headerFields, options: options, settings: settings,
      uploadProgress: progress, success: success, failure: failure)
  }

  /// Sends a `POST` with a multipart form.
  ///
  /// The form contains the parameters as fields, then the parts that `build` adds. Its `Content-Type` with the boundary
  /// replaces one in `headerFields`, because the body could not be read without the boundary.
  ///
  /// - Parameters:
  ///   - build: Adds the parts; called once, before this returns.
  ///   - progress: Receives the progress of the request's body, on the callback queue.
  @discardableResult
  public func post(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(),
    multipart build: @escaping @Sendable (inout MultipartForm) throws -> Void, progress: ProgressHandler? = nil,
    success: Success? = nil, failure: Failure? = nil
  ) -> UploadTask<any Sendable>? {
    send(
      .post, path, parameters, headerFields: headerFields, options: options, settings: settings, multipart: build,
      progress: progress, success: success, failure: failure)
  }

  /// Sends a `PUT` with the parameters in its body.
  @discardableResult
  public func put(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(), success: Success? = nil,
    failure: Failure? = nil
  ) -> DataTask<any Sendable>? {
    send(
      .put, path, parameters, headerFields: headerFields, options: options, settings: settings, success: success,
      failure: failure)
  }

  /// Sends a `PATCH` with the parameters in its body.
  @discardableResult
  public func patch(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(), success: Success? = nil,
    failure: Failure? = nil
  ) -> DataTask<any Sendable>? {
    send(
      .patch, path, parameters, headerFields: headerFields, options: options, settings: settings, success: success,
      failure: failure)
  }

  /// Sends a `DELETE` with the parameters in its query.
  @discardableResult
  public func delete(
    _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), settings: TaskSettings = TaskSettings(), success: Success? = nil,
    failure: Failure? = nil
  ) -> DataTask<any Sendable>? {
    send(
      .delete, path, parameters, headerFields: headerFields, options: options, settings: settings, success: success,
      failure: failure)
  }
}
