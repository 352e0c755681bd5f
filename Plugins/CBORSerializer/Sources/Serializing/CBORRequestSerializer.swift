public import CurlewCore
public import CurlewSerialization
import FoundationEssentials

/// Sends parameters, or any encodable value, as a CBOR body.
///
/// For methods without a body the parameters become a query. Without parameters there is no body and no `Content-Type`.
public struct CBORRequestSerializer: RequestSerializer {
  /// The default fields and options, and which methods use the query instead.
  public var defaults: RequestDefaults
  /// How values are encoded.
  public var encoder: CBOREncoder

  /// Creates a serializer.
  public init(defaults: RequestDefaults = RequestDefaults(), encoder: CBOREncoder = CBOREncoder()) {
    self.defaults = defaults
    self.encoder = encoder
  }

  /// Returns the request with the parameters as its body or query.
  ///
  /// - Throws: `EncodingError` for values nested too deep.
  public func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request {
    try defaults.encode(request, parameters, as: .cbor) { try encoder.encode($0) }
  }

  /// Returns the request with an encoded value as its body.
  ///
  /// - Throws: The same errors as for parameters.
  public func serialize(_ request: Request, encoding value: some Encodable) throws -> Request {
    try defaults.encode(request, value: value, as: .cbor) { try encoder.encode(value) }
  }
}

extension RequestSerializer where Self == CBORRequestSerializer {
  /// Sends parameters as a CBOR body, or as a query for methods without a body.
  public static var cbor: CBORRequestSerializer { CBORRequestSerializer() }
}
