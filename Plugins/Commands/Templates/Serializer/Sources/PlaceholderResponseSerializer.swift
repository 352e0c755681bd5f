public import CurlewCore
public import CurlewSerialization
public import FoundationEssentials

/// Reads the value of a body.
public struct PlaceholderResponseSerializer: ResponseSerializer {
  /// The media types of the format.
  static let mediaTypes = [MediaType(type: "MEDIA_TYPE", subtype: "MEDIA_SUBTYPE")].compactMap { $0 }

  /// Which responses are accepted; successful ones of `MEDIA_TYPE/MEDIA_SUBTYPE` by default.
  public var validation = ResponseValidation(mediaTypes: mediaTypes)

  /// Creates a serializer.
  public init() {}

  /// Returns the value of a body.
  ///
  /// - Throws: ``PlaceholderError``.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> PlaceholderValue {
    try PlaceholderFormat.read(body)
  }
}

extension ResponseSerializer where Self == PlaceholderResponseSerializer {
  /// Reads the value of the body.
  public static var placeholder: PlaceholderResponseSerializer { PlaceholderResponseSerializer() }
}
