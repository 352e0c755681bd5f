public import CurlewCore
public import FoundationEssentials

/// Response serializers by media type, newest registration first.
///
/// Looked up by the closest match: exact, then a structured suffix, then a wildcard; between equals the newest. Where the
/// type says nothing useful and `sniff` is asked for, by the first bytes.
///
/// ```swift
/// let registry = SerializerRegistry()
/// registry.register(JSONResponseSerializer(), for: [.json])
/// let value = try registry.output(of: response.head, body)
/// ```
public final class SerializerRegistry: Sendable {
  /// One registration.
  public struct Entry: Sendable {
    /// The types it answers for, patterns included.
    public let mediaTypes: [MediaType]
    /// Whether it knows its format by its first bytes.
    public let recognizes: (@Sendable (Data) -> Bool)?
    /// Makes a value.
    public let serializer: any ResponseSerializer
  }

  private let registry = Registry<Entry>()

  /// Makes an empty registry.
  public init() {}

  /// Adds a serializer in front of all others.
  ///
  /// - Parameters:
  ///   - mediaTypes: Types and patterns, as `application/json` (which answers for `+json` too) or `image/*`.
  ///   - recognizes: Whether some first bytes are of its format; nil is never.
  @discardableResult
  public func register(
    _ serializer: any ResponseSerializer, for mediaTypes: [MediaType],
    recognizes: (@Sendable (Data) -> Bool)? = nil
  ) -> Registry<Entry>.Token {
    registry.register(Entry(mediaTypes: mediaTypes, recognizes: recognizes, serializer: serializer))
  }

  /// Takes a registration back.
  public func unregister(_ token: Registry<Entry>.Token) { registry.unregister(token) }

  /// The serializer for a type, or for some first bytes; nil when there is none.
  ///
  /// - Parameter prefix: First bytes, asked only when the type finds nothing; nil does not look.
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

  /// Makes the value of a response by its type.
  ///
  /// - Parameter sniffs: Whether the first bytes may decide where the type does not.
  /// - Throws: `NetworkError` of kind `unacceptableContentType` when no serializer answers, else the serializer's.
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
    // The registration, or the first bytes, have decided on the type already.
    var validation = serializer.validation
    validation.mediaTypes = nil
    if let refusal = validation.check(head, body) { throw refusal }
    return try serializer.value(of: head, body)
  }
}
