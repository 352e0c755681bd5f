public import CurlewCore
public import FoundationEssentials

/// A format: it reads and writes `Codable` values, and has a name and media types.
///
/// A session has a `FormatRegistry` of them. A format's module has one, such as CurlewJSON's `JSONCoding`; implement the protocol
/// for a format of your own. It is a value type and is called from any isolation, by many tasks at once.
///
/// ```swift
/// struct LinesCoding: ValueCoding {
///   var mediaType: MediaType { .plainText }
///   var name: String { "lines" }
///   func decode<Value: Decodable>(_ type: Value.Type, from body: Data, _ head: ResponseHead?) throws -> Value {
///     try LinesDecoder().decode(type, from: body)
///   }
///   func encode(_ value: some Encodable) throws -> Data { try LinesEncoder().encode(value) }
/// }
/// extension ValueCoding where Self == LinesCoding { static var lines: LinesCoding { LinesCoding() } }
/// ```
public protocol ValueCoding: Sendable {
  /// The name of the format, such as `json`; by default the subtype of `mediaType`.
  var name: String { get }
  /// The type that bodies are sent with, and that is asked for in `Accept`.
  var mediaType: MediaType { get }
  /// Which responses are accepted; by default successful ones of `mediaType`.
  var validation: ResponseValidation { get }
  /// Returns whether the first bytes of a body are of this format; by default false.
  ///
  /// A session asks only if `FormatRegistry.sniffs` is set and the media type says nothing.
  ///
  /// - Parameter prefix: Up to 512 bytes.
  func recognizes(_ prefix: Data) -> Bool
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
  /// The subtype of `mediaType` without `x-`, such as `json` and `plist`.
  public var name: String {
    let subtype = mediaType.subtype
    return subtype.hasPrefix("x-") ? String(subtype.dropFirst(2)) : subtype
  }

  /// Successful responses of `mediaType`.
  public var validation: ResponseValidation { ResponseValidation(mediaTypes: [mediaType]) }

  /// False: the format is known by its media type only.
  public func recognizes(_ prefix: Data) -> Bool { false }
}
