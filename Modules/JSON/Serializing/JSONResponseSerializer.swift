public import CurlewCore
public import CurlewSerialization
public import FoundationEssentials

/// Makes a `Decodable` value of a JSON body.
///
/// A body that is empty or one space, as some servers answer without content, is `null`: an optional type is then nil, and
/// a type that cannot be null is an error.
public struct JSONResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer {
  /// Which responses it takes: those of success, of a JSON type, unless told.
  public var validation = ResponseValidation(mediaTypes: JSONMediaTypes.accepted)
  /// How values are read, limits included.
  public var decoder: JSONValueDecoder
  /// Whether `null` members and elements are taken out before the value is decoded.
  public var removesNulls = false

  /// Makes a serializer.
  public init(_ type: Value.Type = Value.self, decoder: JSONValueDecoder = JSONValueDecoder()) {
    self.decoder = decoder
  }

  /// The decoded value.
  ///
  /// - Throws: `JSONError` with line and column; `DecodingError`; `CharsetError`.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> Value {
    guard let value = try JSONMediaTypes.value(head, body, decoder.parsingOptions) else {
      return try decoder.decode(Value.self, from: .null)
    }
    return try decoder.decode(Value.self, from: removesNulls ? value.removingNulls() : value)
  }
}

/// Makes a dynamic value of a JSON body; nil of one that is empty or one space.
public struct JSONValueResponseSerializer: ResponseSerializer {
  /// Which responses it takes: those of success, of a JSON type, unless told.
  public var validation = ResponseValidation(mediaTypes: JSONMediaTypes.accepted)
  /// How the body is parsed, limits included.
  public var options: JSONParsingOptions
  /// Whether `null` members and elements are taken out, at all levels.
  public var removesNulls: Bool

  /// Makes a serializer.
  public init(options: JSONParsingOptions = JSONParsingOptions(), removesNulls: Bool = false) {
    self.options = options
    self.removesNulls = removesNulls
  }

  /// The value.
  ///
  /// - Throws: `JSONError` with line and column; `CharsetError`.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> JSONValue? {
    let value = try JSONMediaTypes.value(head, body, options)
    return removesNulls ? value?.removingNulls() : value
  }
}

/// What is taken as JSON.
enum JSONMediaTypes {
  /// JSON's own type with its suffix, and those that servers use in its place.
  static let accepted: [MediaType] =
    [.json, .javaScript, MediaType(type: "text", subtype: "json")].compactMap { $0 }

  /// The value of a body; nil when there is none.
  static func value(_ head: ResponseHead?, _ body: Data, _ options: JSONParsingOptions) throws -> JSONValue? {
    guard !body.isEmpty, !body.elementsEqual([0x20]) else { return nil }
    // JSON is UTF-8 (RFC 8259 §8.1); some servers say, and send, another charset.
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
  /// The body as a value of a type, read from JSON.
  public static func json<Value>(
    _ type: Value.Type = Value.self, decoder: JSONValueDecoder = JSONValueDecoder()
  ) -> JSONResponseSerializer<Value> where Self == JSONResponseSerializer<Value> {
    JSONResponseSerializer(type, decoder: decoder)
  }
}

extension SerializerRegistry {
  /// Reads JSON types, and what begins like an object or an array, as `JSONValue?`.
  @discardableResult
  public func useJSON(_ serializer: JSONValueResponseSerializer = .jsonValue) -> Registry<Entry>.Token {
    register(serializer, for: JSONMediaTypes.accepted) { prefix in
      let first = prefix.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
      return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
  }
}
