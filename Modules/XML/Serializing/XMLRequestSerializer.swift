public import CurlewCore
public import CurlewSerialization
import FoundationEssentials

/// Sends parameters, or any encodable value, as an XML body.
///
/// For methods without a body the parameters become a query.
///
/// Without parameters there is no body and no `Content-Type`.
public struct XMLRequestSerializer: RequestSerializer {
  /// The default fields and options, and which methods use the query instead.
  public var defaults: RequestDefaults
  /// The name of the document's element.
  ///
  /// Nil means `request` for parameters and the name of the type for a value.
  public var rootName: String?
  /// The layout of the text.
  public var format: XMLFormat
  /// How values become elements.
  public var encoder: XMLEncoder

  /// Creates a serializer.
  public init(
    rootName: String? = nil, defaults: RequestDefaults = RequestDefaults(), format: XMLFormat = .compact,
    encoder: XMLEncoder = XMLEncoder()
  ) {
    self.rootName = rootName
    self.defaults = defaults
    self.format = format
    self.encoder = encoder
  }

  /// Returns the request with the parameters as its body or query.
  ///
  /// - Throws: `XMLWritingError` for names and characters that XML does not allow; `EncodingError`.
  public func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request {
    try defaults.encode(request, parameters, as: .xml) {
      try encoder.data($0, rootName: rootName ?? "request", as: format)
    }
  }

  /// Returns the request with an encoded value as its body.
  ///
  /// - Throws: The same errors as for parameters.
  public func serialize(_ request: Request, encoding value: some Encodable) throws -> Request {
    try defaults.encode(request, value: value, as: .xml) { try encoder.data(value, rootName: rootName, as: format) }
  }
}

extension RequestSerializer where Self == XMLRequestSerializer {
  /// Sends parameters as an XML body, or as a query for methods without a body.
  public static var xml: XMLRequestSerializer { XMLRequestSerializer() }
}
