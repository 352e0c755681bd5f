public import CurlewCore
import FoundationEssentials
import HTTPTypes

/// Parameters as the fields of a multipart form, followed by parts of the app's own.
///
/// ```swift
/// let serializer = MultipartRequestSerializer { form in try form.append(file: photo, name: "photo") }
/// let request = try serializer.request(Request(.post, url), ["title": "Curlew"])
/// ```
public struct MultipartRequestSerializer: RequestSerializer {
  /// What else is set; parameters are never put into the URL.
  public var defaults: RequestDefaults
  /// How fast the body is made; nil is as fast as it is taken.
  public var throttle: MultipartForm.Throttle?
  /// Adds the app's parts, after the parameters; called for each request.
  public var build: @Sendable (inout MultipartForm) throws -> Void

  /// Makes a serializer.
  public init(
    defaults: RequestDefaults = RequestDefaults(), throttle: MultipartForm.Throttle? = nil,
    build: @escaping @Sendable (inout MultipartForm) throws -> Void = { _ in }
  ) {
    self.defaults = defaults
    self.throttle = throttle
    self.build = build
  }

  /// The request with a form as its body; without parameters and parts, only the defaults are set.
  ///
  /// - Throws: `NetworkError` of kind `invalidRequest` for `GET`, `HEAD` and a request that has a body; what `build` and
  ///   `MultipartForm.append` throw.
  public func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request {
    guard request.method != .get, request.method != .head, request.body.isEmpty else {
      throw NetworkError(
        .invalidRequest, stage: .preparing, message: "A form needs a method with a body, and a request without one."
      ).with { $0.request = request }
    }
    var form = MultipartForm()
    form.throttle = throttle
    if let parameters { try form.append(parameters, encoding: defaults.query) }
    try build(&form)
    return form.applied(to: defaults.applied(to: request))
  }
}
