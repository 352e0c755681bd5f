public import CurlewCore
public import CurlewSerialization
import FoundationEssentials

/// Sends parameters, or any encodable value, as a YAML body.
///
/// For methods without a body the parameters become a query.
///
/// Without parameters there is no body and no `Content-Type`; otherwise that is `application/yaml` (RFC 9512).
public struct YAMLRequestSerializer: RequestSerializer {
  /// The default fields and options, and which methods use the query instead.
  public var defaults: RequestDefaults
  /// The layout of the text.
  public var format: YAMLFormat
  /// How values are encoded.
  public var encoder: YAMLValueEncoder

  /// Creates a serializer.
  public init(
    defaults: RequestDefaults = RequestDefaults(), format: YAMLFormat = .block,
    encoder: YAMLValueEncoder = YAMLValueEncoder()
  ) {
    self.defaults = defaults
    self.format = format
    self.encoder = encoder
  }

  /// Returns the request with the parameters as its body or query.
  ///
  /// - Throws: `EncodingError` for values nested too deep.
  public func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request {
    try defaults.encode(request, parameters, as: .yaml) { try encoder.data($0, as: format) }
  }

  /// Returns the request with an encoded value as its body.
  ///
  /// - Throws: The same errors as for parameters.
  public func serialize(_ request: Request, encoding value: some Encodable) throws -> Request {
    try defaults.encode(request, value: value, as: .yaml) { try encoder.data(value, as: format) }
  }
}

extension RequestSerializer where Self == YAMLRequestSerializer {
  /// Sends parameters as a YAML body, or as a query for methods without a body.
  public static var yaml: YAMLRequestSerializer { YAMLRequestSerializer() }
}
