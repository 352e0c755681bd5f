public import CurlewCore
public import CurlewSerialization

/// Sends parameters, or any encodable value, as a body; for methods without a body the parameters become a query.
public struct PlaceholderRequestSerializer: RequestSerializer {
  /// The default fields and options, and which methods use the query instead.
  public var defaults = RequestDefaults()

  /// Creates a serializer.
  public init() {}

  /// Returns the request with the parameters as its body or query.
  ///
  /// - Throws: ``PlaceholderError``.
  public func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request {
    try defaults.encode(request, parameters, as: PlaceholderResponseSerializer.mediaTypes.first ?? .octetStream) {
      try PlaceholderFormat.write($0)
    }
  }
}

extension RequestSerializer where Self == PlaceholderRequestSerializer {
  /// Sends parameters as a body, or as a query for methods without a body.
  public static var placeholder: PlaceholderRequestSerializer { PlaceholderRequestSerializer() }
}
