public import CurlewCore
import FoundationEssentials
import HTTPTypes

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
