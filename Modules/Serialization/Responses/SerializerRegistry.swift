public import CurlewCore
public import FoundationEssentials

/// Response serializers by media type, newest registration first.
///
/// The closest match is found: an exact type, then a structured suffix, then a wildcard; among equals, the newest. With
/// `sniff`, the first bytes decide when the type does not.
///
/// ```swift
/// let registry = SerializerRegistry()
/// registry.register(JSONValueResponseSerializer(), for: [.json])
/// let value = try registry.output(of: response.head, body)
/// ```
public final class SerializerRegistry: Sendable {
  /// One registration.
  public struct Entry: Sendable {
    /// The media types that it accepts, including patterns.
    public let mediaTypes: [MediaType]
    /// Recognizes the format by its first bytes.
    public let recognizes: (@Sendable (Data) -> Bool)?
    /// The serializer.
    public let serializer: any ResponseSerializer
  }

  private let registry = Registry<Entry>()

  /// Creates an empty registry.
  public init() {}

  /// Adds a serializer in front of all others.
  ///
  /// - Parameters:
  ///   - mediaTypes: Types and patterns, such as `application/json` (which includes `+json`) or `image/*`.
  ///   - recognizes: Whether the first bytes are of its format; nil never recognizes any.
  @discardableResult
  public func register(
    _ serializer: any ResponseSerializer, for mediaTypes: [MediaType],
    recognizes: (@Sendable (Data) -> Bool)? = nil
  ) -> Registry<Entry>.Token {
    registry.register(Entry(mediaTypes: mediaTypes, recognizes: recognizes, serializer: serializer))
  }

  /// Removes a registration.
  public func unregister(_ token: Registry<Entry>.Token) { registry.unregister(token) }

  /// Returns the serializer for a media type or first bytes; nil if none matches.
  ///
  /// - Parameter prefix: The first bytes, used only when no type matches; nil never looks at the bytes.
  public func serializer(for mediaType: MediaType?, sniffing prefix: Data? = nil) -> (any ResponseSerializer)? {
    let entries = registry.entries
    if let mediaType {
      var best: (match: MediaType.Match, entry: Entry)?
      for entry in entries {
        guard let match = entry.mediaTypes.compactMap({ $0.match(mediaType) }).max() else { continue }
        if best.map({ match > $0.match }) ?? true { best = (match, entry) }
      }
      if let best { return best.entry.serializer }
    }
    guard let prefix else { return nil }
    return entries.first { $0.recognizes?(prefix) ?? false }?.serializer
  }

  /// Returns the value of a response, decoded by its type.
  ///
  /// - Parameter sniffs: Whether the first bytes select the serializer if the type does not.
  /// - Throws: `NetworkError` of kind `unacceptableContentType` when no serializer matches, else the serializer's
  ///   error.
  public func output(
    of head: ResponseHead?, _ body: Data, sniffs: Bool = false
  ) throws(NetworkError) -> any Sendable {
    guard let serializer = serializer(for: head?.mediaType, sniffing: sniffs ? body.prefix(512) : nil) else {
      throw NetworkError(
        .unacceptableContentType, stage: .decoding,
        message: "No serializer is registered for \(head?.mediaType?.essence ?? "a body without a type")."
      ).keeping(head, body)
    }
    return try Self.value(serializer, head, body)
  }

  private static func value<Serializer: ResponseSerializer>(
    _ serializer: Serializer, _ head: ResponseHead?, _ body: Data
  ) throws(NetworkError) -> any Sendable {
    // The type is not checked again: the registration, or the first bytes, have selected the serializer.
    var validation = serializer.validation
    validation.mediaTypes = nil
    if let refusal = validation.check(head, body) { throw refusal }
    return try serializer.value(of: head, body)
  }
}
