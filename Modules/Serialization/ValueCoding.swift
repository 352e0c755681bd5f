public import CurlewCore
public import FoundationEssentials

/// Reads and writes `Codable` values in one format.
///
/// A session uses it to decode a value when the caller names no serializer. A format's module has one, such as CurlewJSON's
/// `JSONCoding`; implement the protocol for a format of your own. It is a value type and is called from any isolation.
///
/// ```swift
/// struct PropertyListCoding: ValueCoding {
///   var mediaType: MediaType { .propertyList }
///   func decode<Value: Decodable>(_ type: Value.Type, from body: Data, _ head: ResponseHead?) throws -> Value {
///     try PropertyListDecoder().decode(type, from: body)
///   }
///   func encode(_ value: some Encodable) throws -> Data { try PropertyListEncoder().encode(value) }
/// }
/// ```
public protocol ValueCoding: Sendable {
  /// The type that bodies are sent with, and that is asked for in `Accept`.
  var mediaType: MediaType { get }
  /// Which responses are accepted; by default successful ones of `mediaType`.
  var validation: ResponseValidation { get }
  /// Returns the value of a body.
  ///
  /// - Throws: Any error; it becomes the cause of a `NetworkError` of kind `serializationFailed`.
  func decode<Value: Decodable>(_ type: Value.Type, from body: Data, _ head: ResponseHead?) throws -> Value
  /// Returns the bytes of a value.
  ///
  /// - Throws: Any error; it becomes the cause of a `NetworkError` of kind `serializationFailed`.
  func encode(_ value: some Encodable) throws -> Data
}

extension ValueCoding {
  /// Successful responses of `mediaType`.
  public var validation: ResponseValidation { ResponseValidation(mediaTypes: [mediaType]) }
}

/// Decodes a value with a `ValueCoding`.
public struct CodingResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer, CodingSerializer {
  /// Which responses are accepted; the coding's by default.
  public var validation: ResponseValidation
  /// How the body is decoded.
  public let coding: any ValueCoding

  /// Creates a serializer.
  public init(_ type: Value.Type = Value.self, by coding: any ValueCoding) {
    self.coding = coding
    validation = coding.validation
  }

  /// Returns the decoded value.
  ///
  /// - Throws: The coding's error.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> Value {
    try coding.decode(Value.self, from: body, head)
  }
}

/// A response serializer that has a coding, whatever the type of its values.
package protocol CodingSerializer {
  /// How the body is decoded.
  var coding: any ValueCoding { get }
}
