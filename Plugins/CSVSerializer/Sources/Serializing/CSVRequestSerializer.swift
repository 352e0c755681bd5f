public import CurlewCore
public import CurlewSerialization
import FoundationEssentials

/// Sends an array of parameters, or of encodable values, as a CSV body.
///
/// For methods without a body the parameters become a query. Without parameters there is no body and no `Content-Type`; otherwise that
/// is `text/csv;header=present`, or `absent`.
public struct CSVRequestSerializer: RequestSerializer {
  /// The default fields and options, and which methods use the query instead.
  public var defaults: RequestDefaults
  /// How rows are encoded.
  public var encoder: CSVEncoder

  /// Creates a serializer.
  public init(defaults: RequestDefaults = RequestDefaults(), encoder: CSVEncoder = CSVEncoder()) {
    self.defaults = defaults
    self.encoder = encoder
  }

  /// Returns the request with the parameters as its body or query.
  ///
  /// - Throws: `ParametersError` for parameters that are not a table.
  public func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request {
    try defaults.encode(request, parameters, as: CSVMediaTypes.sent(encoder.options)) { try encoder.data($0) }
  }
}

extension RequestSerializer where Self == CSVRequestSerializer {
  /// Sends parameters as a CSV body, or as a query for methods without a body.
  public static var csv: CSVRequestSerializer { CSVRequestSerializer() }
}
