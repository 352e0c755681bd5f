public import CurlewCore
public import CurlewSerialization
public import FoundationEssentials

/// Decodes a `Decodable` value from a JSON body.
///
/// An empty body, or one of a single space, which some servers send for "no content", counts as `null`: an optional
/// type is then nil, and any other type is an error.
public struct JSONResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer {
  /// Which responses are accepted; successful ones of a JSON type by default.
  public var validation = ResponseValidation(mediaTypes: JSONMediaTypes.accepted)
  /// How values are decoded, with the limits.
  public var decoder: JSONValueDecoder
  /// Whether `null` members and elements are removed before decoding.
  public var removesNulls = false

  /// Creates a serializer.
  public init(_ type: Value.Type = Value.self, decoder: JSONValueDecoder = JSONValueDecoder()) {
    self.decoder = decoder
  }

  /// Returns the decoded value.
  ///
  /// - Throws: `JSONError` with line and column; `DecodingError`; `CharsetError`.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> Value {
    guard let value = try JSONMediaTypes.value(head, body, decoder.parsingOptions) else {
      return try decoder.decode(Value.self, from: .null)
    }
    return try decoder.decode(Value.self, from: removesNulls ? value.removingNulls() : value)
  }
}

/// Parses a JSON body; an empty body or a single space is nil.
public struct JSONValueResponseSerializer: ResponseSerializer {
  /// Which responses are accepted; successful ones of a JSON type by default.
  public var validation = ResponseValidation(mediaTypes: JSONMediaTypes.accepted)
  /// How the body is parsed, with the limits.
  public var options: JSONParsingOptions
  /// Whether `null` members and elements are removed, at all levels.
  public var removesNulls: Bool

  /// Creates a serializer.
  public init(options: JSONParsingOptions = JSONParsingOptions(), removesNulls: Bool = false) {
    self.options = options
    self.removesNulls = removesNulls
  }

  /// Returns the parsed value.
  ///
  /// - Throws: `JSONError` with line and column; `CharsetError`.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> JSONValue? {
    let value = try JSONMediaTypes.value(head, body, options)
    return removesNulls ? value?.removingNulls() : value
  }
}

/// The media types that count as JSON, and how their bodies are parsed.
enum JSONMediaTypes {
  /// JSON's own type, its suffix, and types that servers use instead.
  static let accepted: [MediaType] =
    [.json, .javaScript, MediaType(type: "text", subtype: "json")].compactMap { $0 }

  /// Returns the value of a body; nil if the body is empty or a single space.
  static func value(_ head: ResponseHead?, _ body: Data, _ options: JSONParsingOptions) throws -> JSONValue? {
    guard body.count > 1 || body.first.map({ $0 != 0x20 }) ?? false else { return nil }
    // JSON is UTF-8 (RFC 8259 §8.1); some servers declare and send another charset.
    guard let text = try CharsetDecoder.foreignText(head, body) else {
      return try JSONValue(parsing: body, options: options)
    }
    return try JSONValue(parsing: text, options: options)
  }
}

extension ResponseSerializer where Self == JSONValueResponseSerializer {
  /// The body as a JSON value; nil when it is empty or one space.
  public static var jsonValue: JSONValueResponseSerializer { JSONValueResponseSerializer() }
}

extension ResponseSerializer {
  /// Returns the body as a value of a type, read from JSON.
  public static func json<Value>(
    _ type: Value.Type = Value.self, decoder: JSONValueDecoder = JSONValueDecoder()
  ) -> JSONResponseSerializer<Value> where Self == JSONResponseSerializer<Value> {
    JSONResponseSerializer(type, decoder: decoder)
  }
}
