public import CurlewSession

/// Gets the names of birds in any of the formats that its configuration has, over any transport.
public struct Sightings: Sendable {
  private let session: HTTPSession

  /// Creates the app from its parts.
  public init(_ configuration: SessionConfiguration) { session = HTTPSession(configuration) }

  /// Returns the names in a list, read by the format that its media type names.
  ///
  /// - Throws: `NetworkError`; of kind `unacceptableContentType` when the configuration has no such format.
  public func names(_ url: String) async throws -> [String] { try await session.get(url) }
}
