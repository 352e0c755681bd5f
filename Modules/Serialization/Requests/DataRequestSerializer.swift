public import CurlewCore
import FoundationEssentials

/// Bytes or text as the body, as they are.
///
/// Parameters are a `.data` or a `.string`; those of methods that have them in the URL are a query.
public struct DataRequestSerializer: RequestSerializer {
  /// What else is set, and which methods have their parameters in the URL.
  public var defaults: RequestDefaults
  /// What the bytes are, where the request does not say so.
  public var mediaType: MediaType

  /// Makes a serializer.
  public init(mediaType: MediaType = .octetStream, defaults: RequestDefaults = RequestDefaults()) {
    self.mediaType = mediaType
    self.defaults = defaults
  }

  /// The request with its body.
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
  /// Bytes or text as the body, as they are.
  public static func data(_ mediaType: MediaType = .octetStream) -> DataRequestSerializer {
    DataRequestSerializer(mediaType: mediaType)
  }
}
