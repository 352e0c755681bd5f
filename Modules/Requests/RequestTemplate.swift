public import CurlewCore
import CurlewLoading
public import CurlewSerialization
public import HTTPTypes

/// The base URL, serializer and fields that the requests of a session share.
///
/// It creates a request from a method, a path, parameters and the settings of one call. The settings of the call override the
/// serializer's defaults, and these override the template's fields. The loader's options apply where they are unset.
///
/// ```swift
/// let template = RequestTemplate(baseURL: try BaseURL("https://example.com/v1/"), serializer: .json)
/// let request = try template.request(.post, "birds", ["name": "Curlew"], headerFields: [.accept: "application/json"])
/// ```
public struct RequestTemplate: Sendable {
  /// The URL that paths are relative to; nil accepts only whole URLs.
  public var baseURL: BaseURL?
  /// Encodes parameters into requests.
  public var serializer: any RequestSerializer
  /// Fields that each request gets unless the call or the serializer sets them.
  ///
  /// They, and the serializer's defaults, go to the base URL's origin and to `secretOrigins`. A path such as `//other.example/` leads to
  /// another origin, and so does a URL that a server has sent: such a request gets only what a redirect would take along
  /// (`Redirect.standardHarmlessFields`), such as `Accept` and `User-Agent`. Without a base URL, and without `secretOrigins`, they go
  /// everywhere. The fields of a call go wherever the call goes.
  public var headerFields: HTTPFields
  /// The origins that receive secrets beside the base URL's; none by default.
  public var secretOrigins: Set<Origin> = []
  /// Says which fields are secrets.
  public var redaction = Redaction.standard

  /// Creates a template; the default serializer writes a query or a form.
  public init(
    baseURL: BaseURL? = nil, serializer: (any RequestSerializer)? = nil, headerFields: HTTPFields = [:]
  ) {
    self.baseURL = baseURL
    self.serializer = serializer ?? FormRequestSerializer()
    self.headerFields = headerFields
  }

  /// Creates a request.
  ///
  /// Parameters go into the query for the methods in the serializer's `RequestDefaults` (`GET`, `HEAD` and `DELETE` by
  /// default), and into the body for other methods.
  ///
  /// - Parameters:
  ///   - path: A path as for `BaseURL.url(for:)`.
  ///   - parameters: The parameters; nil sends none, whereas an empty object is still encoded.
  ///   - headerFields: Fields that replace defaults of the same names.
  ///   - body: A ready body; only allowed if no parameters go into the body.
  ///   - options: The options of this call; unset ones are taken from the loader.
  /// - Throws: `NetworkError` of kind `invalidURL`, of kind `invalidRequest` for a body beside parameters that need one, or of
  ///   kind `serializationFailed`.
  public func request(
    _ method: HTTPRequest.Method, _ path: String, _ parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    body: Body = .empty, options: RequestOptions = RequestOptions()
  ) throws(NetworkError) -> Request {
    let request = try start(method, path, headerFields, body, options)
    return completed(try serializer.request(request, parameters), headerFields)
  }

  /// Creates a request for a URL that is already resolved.
  ///
  /// - Parameter resolved: A request for that URL; the result shares the URL's parsed form.
  /// - Throws: The errors of the method with a path.
  package func request(
    _ method: HTTPRequest.Method, at resolved: Request, _ parameters: Parameters?, headerFields: HTTPFields,
    options: RequestOptions
  ) throws(NetworkError) -> Request {
    var request = resolved
    request.method = method
    request.headerFields = headerFields
    request.options = options
    return completed(try serializer.request(request, parameters), headerFields)
  }

  /// Creates a request from any encodable value, in the query or the body.
  ///
  /// - Throws: The errors of the method with `Parameters`, also if the value cannot be encoded.
  public func request(
    _ method: HTTPRequest.Method, _ path: String, encoding value: some Encodable, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions()
  ) throws(NetworkError) -> Request {
    let request = try start(method, path, headerFields, .empty, options)
    return completed(try serializer.request(request, encoding: value), headerFields)
  }

  /// Creates a request whose body is a multipart form.
  ///
  /// The form contains the parameters as fields, then the parts that `build` adds. The `Content-Type` is always that of the
  /// form, with its boundary.
  ///
  /// - Parameter throttle: The speed limit for producing the body; nil sets none.
  /// - Throws: `NetworkError` of kind `invalidURL`, of kind `invalidRequest` for `GET` and `HEAD`, or of kind
  ///   `serializationFailed` with the error of `build`.
  public func multipart(
    _ method: HTTPRequest.Method, _ path: String, _ parameters: Parameters? = nil,
    headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions(),
    throttle: MultipartForm.Throttle? = nil, build: @escaping @Sendable (inout MultipartForm) throws -> Void
  ) throws(NetworkError) -> Request {
    let form = MultipartRequestSerializer(defaults: serializer.defaults, throttle: throttle, build: build)
    let request = try start(method, path, headerFields, .empty, options)
    return completed(try form.request(request, parameters ?? .object([])), headerFields)
  }

  private func start(
    _ method: HTTPRequest.Method, _ path: String, _ headerFields: HTTPFields, _ body: Body, _ options: RequestOptions
  ) throws(NetworkError) -> Request {
    let url = try BaseURL.url(for: path, relativeTo: baseURL)
    return Request(method, url, headerFields: headerFields, body: body, options: options)
  }

  /// Returns a whole request with those of the template's fields that it does not set.
  ///
  /// The same rule holds as for a path, so a URL that a server has sent gets no secret.
  package func completed(_ request: Request) -> Request { completed(request, request.headerFields) }

  /// Returns the request with those of the template's fields that it does not set.
  ///
  /// - Parameter own: The fields of the call, which stay.
  private func completed(_ request: Request, _ own: HTTPFields) -> Request {
    let defaults = serializer.defaults.headerFields
    var request = request
    guard !mayReceiveSecrets(request), !headerFields.isEmpty || !defaults.isEmpty else {
      request.headerFields.appendMissing(from: headerFields)
      return request
    }
    request.headerFields = HTTPFields(
      request.headerFields.filter { field in
        // A field that the serializer itself computes is for this request.
        own.has(field.name) || isHarmless(field.name) || !defaults[values: field.name].contains(field.value)
      })
    request.headerFields.appendMissing(from: HTTPFields(headerFields.filter { isHarmless($0.name) }))
    return request
  }

  /// Returns whether a field may go to any origin.
  private func isHarmless(_ name: HTTPField.Name) -> Bool {
    Redirect.standardHarmlessFields.contains(name) && !redaction.fields.contains(name)
  }

  /// Returns whether a request goes to an origin that the app has named.
  package func mayReceiveSecrets(_ request: Request) -> Bool {
    guard baseURL != nil || !secretOrigins.isEmpty else { return true }
    guard let origin = try? request.origin else { return false }
    return origin == baseURL?.origin || secretOrigins.contains(origin)
  }
}

extension RequestTemplate: CustomReflectable {
  /// The template without the secrets of its URL and its fields.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "baseURL": baseURL as Any, "serializer": serializer, "headerFields": redaction.lines(of: headerFields),
        "secretOrigins": secretOrigins,
      ])
  }
}

extension Redaction {
  /// Returns the fields as lines without the secrets that this redaction names, as a mirror shows them.
  package func lines(of fields: HTTPFields) -> [String] { redacted(fields).map { "\($0.name): \($0.value)" } }
}
