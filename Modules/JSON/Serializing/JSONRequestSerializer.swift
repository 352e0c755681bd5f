public import CurlewCore
public import CurlewSerialization
import FoundationEssentials

/// Sends parameters, or any encodable value, as a JSON body.
///
/// For methods without a body the parameters become a query.
///
/// Without parameters there is no body and no `Content-Type`.
public struct JSONRequestSerializer: RequestSerializer {
  /// The default fields and options, and which methods use the query instead.
  public var defaults: RequestDefaults
  /// The layout of the text.
  public var format: JSONFormat
  /// How values are encoded; dates as RFC 3339 text by default.
  public var encoder: JSONValueEncoder

  /// Creates a serializer.
  public init(
    defaults: RequestDefaults = RequestDefaults(), format: JSONFormat = .canonical, encoder: JSONValueEncoder? = nil
  ) {
    self.defaults = defaults
    self.format = format
    var standard = JSONValueEncoder()
    standard.dateEncodingStrategy = .iso8601
    self.encoder = encoder ?? standard
  }

  /// Returns the request with the parameters as its body or query.
  ///
  /// - Throws: `EncodingError` for infinities, NaN and values nested too deep.
  public func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request {
    try defaults.encode(request, parameters, as: .json) { try encoder.data($0, as: format) }
  }

  /// Returns the request with an encoded value as its body.
  ///
  /// - Throws: The same errors as for parameters.
  public func serialize(_ request: Request, encoding value: some Encodable) throws -> Request {
    try defaults.encode(request, value: value, as: .json) { try encoder.data(value, as: format) }
  }
}

extension RequestSerializer where Self == JSONRequestSerializer {
  /// Sends parameters as a JSON body, or as a query for methods without a body.
  public static var json: JSONRequestSerializer { JSONRequestSerializer() }
}
