public import CurlewCore
public import CurlewSerialization
public import FoundationEssentials

/// Makes the format one of a session: `configuration.formats.add(.placeholder)`.
public struct PlaceholderCoding: ValueCoding {
  /// Creates a coding.
  public init() {}

  /// `MEDIA_TYPE/MEDIA_SUBTYPE`; the subtype is the name of the format too.
  public var mediaType: MediaType { PlaceholderResponseSerializer.mediaTypes.first ?? .octetStream }

  /// Returns the value of a body, as any type that can be decoded from the format's own value.
  ///
  /// - Throws: ``PlaceholderError``; `DecodingError`.
  public func decode<Value: Decodable>(_ type: Value.Type, from body: Data, _ head: ResponseHead?) throws -> Value {
    // The way through JSON suits a format of texts; a decoder of your own keeps more types.
    try JSONDecoder().decode(type, from: JSONEncoder().encode(PlaceholderFormat.read(body)))
  }

  /// Returns the value as a document.
  ///
  /// - Throws: ``PlaceholderError``; `ParametersError`.
  public func encode(_ value: some Encodable) throws -> Data {
    try PlaceholderFormat.write(Parameters(encoding: value))
  }
}

extension ValueCoding where Self == PlaceholderCoding {
  /// The format as one of a session.
  public static var placeholder: PlaceholderCoding { PlaceholderCoding() }
}
