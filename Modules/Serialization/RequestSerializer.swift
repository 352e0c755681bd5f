public import CurlewCore
public import FoundationEssentials
import HTTPTypes

/// Puts parameters into a request: into its URL or its body.
///
/// It is a value type with its options as stored properties. It is called from any isolation, by many tasks at once,
/// and for each attempt, so it must not change anything except its result.
///
/// ```swift
/// struct CSVRequestSerializer: RequestSerializer {
///   var defaults = RequestDefaults()
///   func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request {
///     try defaults.encode(request, parameters, as: .csv) { parameters in try CSV.data(parameters) }
///   }
/// }
/// ```
public protocol RequestSerializer: Sendable {
  /// The default fields and options of its requests; none by default.
  ///
  /// Forms and uploads of the same session get them, too.
  var defaults: RequestDefaults { get }

  /// Returns a request with parameters.
  ///
  /// - Parameter parameters: The parameters; nil sends none, whereas an empty object is still encoded.
  /// - Throws: Any error; `request(_:_:)` wraps it.
  func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request

  /// Returns a request with any encodable value.
  ///
  /// By default the value is first converted to `Parameters`.
  ///
  /// - Throws: Any error; `request(_:encoding:)` wraps it.
  func serialize(_ request: Request, encoding value: some Encodable) throws -> Request
}

extension RequestSerializer {
  /// Defaults that set nothing.
  public var defaults: RequestDefaults { RequestDefaults() }

  /// Converts the value to parameters, and serializes those.
  ///
  /// - Throws: The errors of `Parameters.init(encoding:)` and of the serializer.
  public func serialize(_ request: Request, encoding value: some Encodable) throws -> Request {
    try serialize(request, try Parameters(encoding: value))
  }

  /// Returns a request with parameters, and wraps errors.
  ///
  /// - Throws: `NetworkError` of kind `serializationFailed`, at stage `preparing`, with the cause; or the serializer's
  ///   own `NetworkError`.
  public func request(_ request: Request, _ parameters: Parameters? = nil) throws(NetworkError) -> Request {
    try wrapping(request) { try serialize(request, parameters) }
  }

  /// Returns a request with any encodable value, and wraps errors.
  ///
  /// - Throws: The same errors as `request(_:_:)`, also when the value cannot be encoded.
  public func request(_ request: Request, encoding value: some Encodable) throws(NetworkError) -> Request {
    try wrapping(request) { try serialize(request, encoding: value) }
  }

  private func wrapping(_ request: Request, _ make: () throws -> Request) throws(NetworkError) -> Request {
    do { return try make() } catch { throw NetworkError.unwritable("parameters", error).naming(request) }
  }
}

extension NetworkError {
  /// Returns the error for a part of a request that cannot be written; a `NetworkError` stays as it is.
  package static func unwritable(_ part: String, _ error: any Error) -> NetworkError {
    if let error = error as? NetworkError { return error }
    var advice = (error as? any LocalizedError)?.recoverySuggestion
    if case EncodingError.invalidValue(let value, _) = error, value is Double || value is Float {
      advice = "Send null or a text for NaN and infinity, which the format lacks."
    }
    return NetworkError(
      .serializationFailed, stage: .preparing, message: "The \(part) cannot be encoded: \(reason(error))",
      advice: advice,
      underlying: error)
  }
}

extension Request {
  /// Sets `Content-Type`, unless the request already has one.
  public mutating func setContentType(_ mediaType: MediaType) {
    if headerFields[.contentType] == nil { headerFields[.contentType] = mediaType.description }
  }
}

extension URL {
  /// Returns this URL with an extended query.
  ///
  /// - Parameter query: Escaped text without `?`; an empty one changes nothing.
  /// - Throws: `NetworkError` of kind `invalidURL` when the result is not a valid URL.
  public func appendingQuery(_ query: String) throws -> URL {
    guard !query.isEmpty else { return self }
    let text = absoluteString
    let hash = text.firstIndex(of: "#") ?? text.endIndex
    let head = text[..<hash]
    let separator = !head.contains("?") ? "?" : head.hasSuffix("?") || head.hasSuffix("&") ? "" : "&"
    guard let url = URL(keepingEscapes: head + separator + query + text[hash...]) else {
      throw NetworkError(
        .invalidURL, stage: .preparing, message: "The URL is invalid after its parameters are added to the query.")
    }
    return url
  }
}

/// Sends bytes or text as the body, unchanged.
///
/// Parameters must be a `.data` or a `.string`; for methods that carry parameters in the URL they become a query.
public struct DataRequestSerializer: RequestSerializer {
  /// The default fields and options, and which methods use the query instead.
  public var defaults: RequestDefaults
  /// The media type of the bytes, unless the request sets one.
  public var mediaType: MediaType

  /// Creates a serializer.
  public init(mediaType: MediaType = .octetStream, defaults: RequestDefaults = RequestDefaults()) {
    self.mediaType = mediaType
    self.defaults = defaults
  }

  /// Returns the request with its body.
  ///
  /// - Throws: `ParametersError` of kind `unrepresentable` for anything but data and text.
  public func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request {
    try defaults.encode(request, parameters, as: mediaType) { parameters throws(ParametersError) in
      switch parameters {
      case .data(let data): return data
      case .string(let text): return Data(text.utf8)
      default: throw ParametersError(.unrepresentable)
      }
    }
  }
}

extension RequestSerializer where Self == DataRequestSerializer {
  /// Sends bytes or text as the body, unchanged.
  public static func data(_ mediaType: MediaType = .octetStream) -> DataRequestSerializer {
    DataRequestSerializer(mediaType: mediaType)
  }
}

/// Sends parameters in the query, or as a form for methods with a body.
///
/// A form is `application/x-www-form-urlencoded`. Without parameters, a request keeps the body it has; if it has none,
/// it is sent with an empty form.
public struct FormRequestSerializer: RequestSerializer {
  /// The default fields and options, and which methods carry parameters in the URL.
  public var defaults: RequestDefaults
  /// How the body is written; nil uses the same encoding as for the query.
  public var form: QueryEncoding?

  /// Creates a serializer.
  public init(defaults: RequestDefaults = RequestDefaults(), form: QueryEncoding? = nil) {
    self.defaults = defaults
    self.form = form
  }

  /// Returns the request with a query or a form.
  ///
  /// - Throws: `ParametersError`; `NetworkError` of kind `invalidRequest` when parameters need the body and the request
  ///   already has one.
  public func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request {
    let hasBody = !defaults.putsParametersInURL(request.method)
    // The type is explicit, because a bare nil would be the parameter null.
    let noFields: Parameters? = hasBody && request.body.isEmpty ? .object([]) : Parameters?.none
    let parameters: Parameters? = parameters ?? noFields
    return try defaults.encode(request, parameters, as: .formURLEncoded) { parameters in
      Data(try (form ?? defaults.query).string(parameters).utf8)
    }
  }
}

extension RequestSerializer where Self == FormRequestSerializer {
  /// Sends parameters in the query, or as a form for methods with a body.
  public static var form: FormRequestSerializer { FormRequestSerializer() }
}

/// Sends parameters as a multipart form, followed by the app's own parts.
///
/// ```swift
/// let serializer = MultipartRequestSerializer { form in try form.append(file: photo, name: "photo") }
/// let request = try serializer.request(Request(.post, url), ["title": "Curlew"])
/// ```
public struct MultipartRequestSerializer: RequestSerializer {
  /// The default fields and options; parameters never go into the URL.
  public var defaults: RequestDefaults
  /// The speed limit for producing the body; nil sets none.
  public var throttle: MultipartForm.Throttle?
  /// Adds the app's parts after the parameters; called for each request.
  public var build: @Sendable (inout MultipartForm) throws -> Void

  /// Creates a serializer.
  public init(
    defaults: RequestDefaults = RequestDefaults(), throttle: MultipartForm.Throttle? = nil,
    build: @escaping @Sendable (inout MultipartForm) throws -> Void = { _ in }
  ) {
    self.defaults = defaults
    self.throttle = throttle
    self.build = build
  }

  /// Returns the request with a form as its body.
  ///
  /// Without parameters (nil) and parts, only the defaults are set; empty parameters are a form without parts.
  ///
  /// - Throws: `NetworkError` of kind `invalidRequest` for `GET`, `HEAD` and a request that already has a body; the
  ///   errors of `build` and `MultipartForm.append`.
  public func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request {
    guard request.method != .get, request.method != .head, request.body.isEmpty else {
      throw NetworkError(
        .invalidRequest, stage: .preparing,
        message: "A multipart form needs a method other than GET and HEAD, and a request without a body."
      ).with { $0.request = request }
    }
    var form = MultipartForm()
    form.throttle = throttle
    if let parameters { try form.append(parameters, encoding: defaults.query) }
    try build(&form)
    guard parameters != nil || !form.parts.isEmpty else { return defaults.applied(to: request) }
    return form.applied(to: defaults.applied(to: request))
  }
}
