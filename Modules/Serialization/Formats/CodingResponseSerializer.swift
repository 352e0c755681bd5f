public import CurlewCore
public import FoundationEssentials

/// Decodes a value with a format, or with the one of several that a response is in.
///
/// Of several formats, none is asked for `Data`: it is the bytes of a body of any type.
public struct CodingResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer, FormattedSerializer {
  /// Which responses are accepted; those of the formats by default.
  public var validation: ResponseValidation
  /// The formats that read the body; its media type chooses.
  public let formats: FormatRegistry

  /// Creates a serializer with one format.
  public init(_ type: Value.Type = Value.self, by coding: any ValueCoding) {
    formats = FormatRegistry([coding])
    validation = formats.validation
  }

  /// Creates a serializer with several formats.
  public init(_ type: Value.Type = Value.self, by formats: FormatRegistry) {
    self.formats = Value.self == Data.self ? FormatRegistry() : formats
    validation = self.formats.validation
  }

  /// Returns the decoded value.
  ///
  /// - Throws: The error of the format; `NetworkError` of kind `unacceptableContentType` if no format reads the body.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> Value {
    if formats.isEmpty, let bytes = body as? Value { return bytes }
    return try formats.format(of: head, body).decode(Value.self, from: body, head)
  }
}

/// A response serializer that has formats, whatever the type of its values.
package protocol FormattedSerializer {
  /// The formats that read the body.
  var formats: FormatRegistry { get }
}
