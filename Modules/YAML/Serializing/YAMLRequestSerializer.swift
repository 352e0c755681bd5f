public import CurlewCore
public import CurlewSerialization
import FoundationEssentials

/// Parameters, or any encodable value, as a YAML body; those of methods without a body are a query.
///
/// Without parameters there is no body and no `Content-Type`, which is otherwise `application/yaml` (RFC 9512).
public struct YAMLRequestSerializer: RequestSerializer {
  /// What else is set, and which methods have their parameters in the URL.
  public var defaults: RequestDefaults
  /// How the text is laid out.
  public var format: YAMLFormat
  /// How values are encoded.
  public var encoder: YAMLValueEncoder

  /// Makes a serializer.
  public init(
    defaults: RequestDefaults = RequestDefaults(), format: YAMLFormat = .block,
    encoder: YAMLValueEncoder = YAMLValueEncoder()
  ) {
    self.defaults = defaults
    self.format = format
    self.encoder = encoder
  }

  /// The request with its body.
  ///
  /// - Throws: `EncodingError` for values nested too deep.
  public func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request {
    try defaults.encode(request, parameters, as: .yaml) { try encoder.data($0, as: format) }
  }

  /// The request with a value as its body, encoded without a detour.
  ///
  /// - Throws: As for parameters.
  public func serialize(_ request: Request, encoding value: some Encodable) throws -> Request {
    try defaults.encode(request, value: value, as: .yaml) { try encoder.data(value, as: format) }
  }
}

extension RequestSerializer where Self == YAMLRequestSerializer {
  /// Parameters as a YAML body; those of methods without a body are a query.
  public static var yaml: YAMLRequestSerializer { YAMLRequestSerializer() }
}
