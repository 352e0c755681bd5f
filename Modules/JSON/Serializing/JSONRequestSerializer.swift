public import CurlewCore
public import CurlewSerialization
import FoundationEssentials

/// Parameters, or any encodable value, as a JSON body; those of methods without a body are a query.
///
/// Without parameters there is no body and no `Content-Type`.
public struct JSONRequestSerializer: RequestSerializer {
  /// What else is set, and which methods have their parameters in the URL.
  public var defaults: RequestDefaults
  /// How the text is written.
  public var format: JSONFormat
  /// How values are encoded; dates as RFC 3339 text unless told.
  public var encoder: JSONValueEncoder

  /// Makes a serializer.
  public init(
    defaults: RequestDefaults = RequestDefaults(), format: JSONFormat = .canonical, encoder: JSONValueEncoder? = nil
  ) {
    self.defaults = defaults
    self.format = format
    var standard = JSONValueEncoder()
    standard.dateEncodingStrategy = .iso8601
    self.encoder = encoder ?? standard
  }

  /// The request with its body.
  ///
  /// - Throws: `EncodingError` for what JSON cannot express: infinities, NaN, and values nested too deep.
  public func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request {
    try defaults.encode(request, parameters, as: .json) { try encoder.data($0, as: format) }
  }

  /// The request with a value as its body, encoded without a detour.
  ///
  /// - Throws: As for parameters.
  public func serialize(_ request: Request, encoding value: some Encodable) throws -> Request {
    try defaults.encode(request, value: value, as: .json) { try encoder.data(value, as: format) }
  }
}

extension RequestSerializer where Self == JSONRequestSerializer {
  /// Parameters as a JSON body; those of methods without a body are a query.
  public static var json: JSONRequestSerializer { JSONRequestSerializer() }
}
