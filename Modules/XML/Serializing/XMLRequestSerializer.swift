public import CurlewCore
public import CurlewSerialization
import FoundationEssentials

/// Parameters, or any encodable value, as an XML body; parameters of methods without a body are a query.
///
/// Without parameters there is no body and no `Content-Type`.
public struct XMLRequestSerializer: RequestSerializer {
  /// What else is set, and which methods have their parameters in the URL.
  public var defaults: RequestDefaults
  /// The name of the document's element; `request` for parameters and the name of the type for a value when it is nil.
  public var rootName: String?
  /// How the text is written.
  public var format: XMLFormat
  /// How values become elements.
  public var encoder: XMLEncoder

  /// Makes a serializer.
  public init(
    rootName: String? = nil, defaults: RequestDefaults = RequestDefaults(), format: XMLFormat = .compact,
    encoder: XMLEncoder = XMLEncoder()
  ) {
    self.rootName = rootName
    self.defaults = defaults
    self.format = format
    self.encoder = encoder
  }

  /// The request with its body.
  ///
  /// - Throws: `XMLWritingError` for names and characters that XML does not allow; `EncodingError`.
  public func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request {
    try defaults.encode(request, parameters, as: .xml) {
      try encoder.data($0, rootName: rootName ?? "request", as: format)
    }
  }

  /// The request with a value as its body, encoded without a detour.
  ///
  /// - Throws: As for parameters.
  public func serialize(_ request: Request, encoding value: some Encodable) throws -> Request {
    try defaults.encode(request, value: value, as: .xml) { try encoder.data(value, rootName: rootName, as: format) }
  }
}

extension RequestSerializer where Self == XMLRequestSerializer {
  /// Parameters as an XML body; those of methods without a body are a query.
  public static var xml: XMLRequestSerializer { XMLRequestSerializer() }
}
