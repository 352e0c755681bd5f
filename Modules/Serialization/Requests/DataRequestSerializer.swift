public import CurlewCore
import FoundationEssentials

/// Sends bytes or text as the body, unchanged.
///
/// Parameters must be a `.data` or a `.string`; for methods that carry parameters in the URL they become a query.
public struct DataRequestSerializer: RequestSerializer {
  /// The default fields and options, and which methods use the query instead.
  public var defaults: RequestDefaults
  /// The media type of the bytes, unless the request sets one.
  public var mediaType: MediaType

  /// Creates a serializer.
  public init(mediaType: MediaType = .octetStream, defaults: RequestDefaults = RequestDefaults()) {
    self.mediaType = mediaType
    self.defaults = defaults
  }

  /// Returns the request with its body.
  ///
  /// - Throws: `ParametersError` of kind `unrepresentable` for anything but data and text.
  public func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request {
    try defaults.encode(request, parameters, as: mediaType) { parameters throws(ParametersError) in
      switch parameters {
      case .data(let data): return data
      case .string(let text): return Data(text.utf8)
      default: throw ParametersError(.unrepresentable)
      }
    }
  }
}

extension RequestSerializer where Self == DataRequestSerializer {
  /// Sends bytes or text as the body, unchanged.
  public static func data(_ mediaType: MediaType = .octetStream) -> DataRequestSerializer {
    DataRequestSerializer(mediaType: mediaType)
  }
}
