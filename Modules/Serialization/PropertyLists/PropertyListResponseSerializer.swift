public import CurlewCore
public import FoundationEssentials

/// Parses an XML or binary property list; an empty body is nil.
public struct PropertyListResponseSerializer: ResponseSerializer {
  /// Which responses are accepted; successful `application/x-plist` by default.
  public var validation = ResponseValidation(mediaTypes: [.propertyList])
  /// The limits for reading.
  public var limits: PropertyList.Limits

  /// Creates a serializer.
  public init(limits: PropertyList.Limits = PropertyList.Limits()) { self.limits = limits }

  /// Returns the parsed value.
  ///
  /// - Throws: `PropertyListError` with the offset.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> PropertyList? {
    try body.isEmpty ? nil : PropertyList(parsing: body, limits: limits)
  }
}

/// Decodes a `Decodable` value from an XML or binary property list.
public struct DecodedPropertyListResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer {
  /// Which responses are accepted; successful `application/x-plist` by default.
  public var validation = ResponseValidation(mediaTypes: [.propertyList])
  /// The limits for reading.
  public var limits: PropertyList.Limits

  /// Creates a serializer.
  public init(_ type: Value.Type = Value.self, limits: PropertyList.Limits = PropertyList.Limits()) {
    self.limits = limits
  }

  /// Returns the decoded value.
  ///
  /// - Throws: `PropertyListError` with the offset; `DecodingError`.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> Value {
    // Foundation's decoder only reads bytes that our own writer produced: they have no circular references, limited depth, and
    // valid offsets.
    let checked = try PropertyList(parsing: body, limits: limits).data(.binary)
    return try PropertyListDecoder().decode(Value.self, from: checked)
  }
}

extension ResponseSerializer where Self == PropertyListResponseSerializer {
  /// Parses the body as a property list; nil when it is empty.
  public static var propertyList: PropertyListResponseSerializer { PropertyListResponseSerializer() }
}

extension ResponseSerializer {
  /// Decodes the body as a value of a type.
  public static func propertyList<Value>(
    _ type: Value.Type = Value.self
  ) -> DecodedPropertyListResponseSerializer<Value> where Self == DecodedPropertyListResponseSerializer<Value> {
    DecodedPropertyListResponseSerializer(type)
  }
}
