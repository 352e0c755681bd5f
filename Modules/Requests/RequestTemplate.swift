public import CurlewCore
public import CurlewSerialization
public import HTTPTypes

/// What the requests of a session have in common: base URL, serializer, fields.
///
/// It makes a request of a method, a path, parameters and the settings of one call. What the call sets wins over the
/// serializer's defaults, and these win over the template's fields; options that are left unset fall through to the loader.
///
/// ```swift
/// let template = RequestTemplate(baseURL: try BaseURL("https://example.com/v1/"), serializer: .json)
/// let request = try template.request(.post, "birds", ["name": "Curlew"], headerFields: [.accept: "application/json"])
/// ```
public struct RequestTemplate: Sendable {
  /// The URL that paths are relative to; nil takes whole URLs only.
  public var baseURL: BaseURL?
  /// Puts parameters into requests.
  public var serializer: any RequestSerializer
  /// Fields for requests that have them neither of the call nor of the serializer.
  public var headerFields: HTTPFields

  /// Creates a template; without a serializer parameters are written as a query or a form.
  public init(
    baseURL: BaseURL? = nil, serializer: (any RequestSerializer)? = nil, headerFields: HTTPFields = [:]
  ) {
    self.baseURL = baseURL
    self.serializer = serializer ?? FormRequestSerializer()
    self.headerFields = headerFields
  }

  /// Makes a request.
  ///
  /// Parameters go into the query for the methods that the serializer's `RequestDefaults` name (`GET`, `HEAD` and `DELETE`
  /// by default), and into the body for others.
  ///
  /// - Parameters:
  ///   - path: As `BaseURL.url(for:)` takes it.
  ///   - parameters: Nil when there are none, which is not the same as an empty object.
  ///   - headerFields: Replace defaults of the same names.
  ///   - body: A body of the caller's own, for methods that have none of parameters.
  ///   - options: Those that are unset fall through.
  /// - Throws: `NetworkError` of kind `invalidURL`, of kind `invalidRequest` for a body beside parameters that need one, or
  ///   of kind `serializationFailed`.
  public func request(
    _ method: HTTPRequest.Method, _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    body: Body = .empty, options: RequestOptions = RequestOptions()
  ) throws(NetworkError) -> Request {
    let request = try start(method, path, headerFields, body, options)
    return completed(try serializer.request(request, parameters))
  }

  /// Makes a request for a URL that was resolved before.
  ///
  /// - Parameter resolved: A request for that URL; the result shares the URL's parsed form.
  /// - Throws: As the method with a path.
  package func request(
    _ method: HTTPRequest.Method, at resolved: Request, _ parameters: Parameters?, headerFields: HTTPFields,
    options: RequestOptions
  ) throws(NetworkError) -> Request {
    var request = resolved
    request.method = method
    request.headerFields = headerFields
    request.options = options
    return completed(try serializer.request(request, parameters))
  }

  /// Makes a request of any encodable value, in the query or the body.
  ///
  /// - Throws: As the method with `Parameters`; also when the value cannot be encoded.
  public func request(
    _ method: HTTPRequest.Method, _ path: String, encoding value: some Encodable, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions()
  ) throws(NetworkError) -> Request {
    let request = try start(method, path, headerFields, .empty, options)
    return completed(try serializer.request(request, encoding: value))
  }

  /// Makes a request whose body is a multipart form: the parameters as fields, then the parts that `build` adds.
  ///
  /// The `Content-Type` is the form's own, with its boundary, whatever the call's fields say.
  ///
  /// - Parameter throttle: How fast the body is made; nil is as fast as it is taken.
  /// - Throws: `NetworkError` of kind `invalidURL`, of kind `invalidRequest` for `GET` and `HEAD`, or of kind
  ///   `serializationFailed` with what `build` throws.
  public func multipart(
    _ method: HTTPRequest.Method, _ path: String, _ parameters: Parameters? = nil,
    headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions(),
    throttle: MultipartForm.Throttle? = nil, build: @escaping @Sendable (inout MultipartForm) throws -> Void
  ) throws(NetworkError) -> Request {
    let form = MultipartRequestSerializer(defaults: serializer.defaults, throttle: throttle, build: build)
    let request = try start(method, path, headerFields, .empty, options)
    return completed(try form.request(request, parameters))
  }

  private func start(
    _ method: HTTPRequest.Method, _ path: String, _ headerFields: HTTPFields, _ body: Body, _ options: RequestOptions
  ) throws(NetworkError) -> Request {
    let url = try BaseURL.url(for: path, relativeTo: baseURL)
    return Request(method, url, headerFields: headerFields, body: body, options: options)
  }

  /// The request with the template's own fields where it lacks them.
  private func completed(_ request: Request) -> Request {
    guard !headerFields.isEmpty else { return request }
    var request = request
    request.headerFields.appendMissing(from: headerFields)
    return request
  }
}
