public import CurlewSerialization
public import CurlewSession

/// Gets documents in any of the formats that its registry has, over any transport.
public struct Sightings: Sendable {
  private let session: HTTPSession
  private let formats: SerializerRegistry

  /// Creates the app from its parts.
  public init(_ configuration: SessionConfiguration, formats: SerializerRegistry) {
    session = HTTPSession(configuration)
    self.formats = formats
  }

  /// Returns a document, read by the serializer that is registered for its media type.
  ///
  /// - Throws: `NetworkError`; of kind `unacceptableContentType` when none is.
  public func document(_ url: String) async throws -> any Sendable {
    try await session.get(url, AutomaticResponseSerializer(formats))
  }
}
