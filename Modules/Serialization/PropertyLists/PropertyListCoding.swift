public import CurlewCore
public import FoundationEssentials

/// Reads and writes values as property lists, for example for a session.
///
/// It reads the XML and the binary format, whichever a body is in.
public struct PropertyListCoding: ValueCoding {
  /// Which responses are accepted; successful `application/x-plist` by default.
  public var validation = ResponseValidation(mediaTypes: [.propertyList])
  /// The limits for reading.
  public var limits: PropertyList.Limits
  /// The format that is written.
  public var format: PropertyList.Format

  /// Creates a coding.
  public init(limits: PropertyList.Limits = PropertyList.Limits(), format: PropertyList.Format = .xml) {
    self.limits = limits
    self.format = format
  }

  /// `application/x-plist`.
  public var mediaType: MediaType { .propertyList }

  /// Returns whether a document begins like a property list, in either format.
  public func recognizes(_ prefix: Data) -> Bool { PropertyList.isRecognized(prefix) }

  /// Returns the value of a body.
  ///
  /// - Throws: `PropertyListError` with the offset; `DecodingError`.
  public func decode<Value: Decodable>(_ type: Value.Type, from body: Data, _ head: ResponseHead?) throws -> Value {
    // Foundation's decoder only reads bytes that our own writer produced: they have no circular references, limited depth, and
    // valid offsets.
    try PropertyListDecoder().decode(type, from: try PropertyList(parsing: body, limits: limits).data(.binary))
  }

  /// Returns the value as a property list.
  ///
  /// - Throws: `EncodingError` for a value that is neither an array nor a dictionary, and for a null.
  public func encode(_ value: some Encodable) throws -> Data {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = format == .binary ? .binary : .xml
    return try encoder.encode(value)
  }
}

extension ValueCoding where Self == PropertyListCoding {
  /// Property lists: read in both formats, written as XML.
  public static var propertyList: PropertyListCoding { PropertyListCoding() }
}
