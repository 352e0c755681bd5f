public import CurlewCore
public import FoundationEssentials

/// Makes a dynamic value of an XML or binary property list; nil of an empty body.
public struct PropertyListResponseSerializer: ResponseSerializer {
  /// Which responses it takes: those of success, of `application/x-plist`, unless told.
  public var validation = ResponseValidation(mediaTypes: [.propertyList])
  /// How much is taken.
  public var limits: PropertyList.Limits

  /// Makes a serializer.
  public init(limits: PropertyList.Limits = PropertyList.Limits()) { self.limits = limits }

  /// The value.
  ///
  /// - Throws: `PropertyListError` with the offset.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> PropertyList? {
    try body.isEmpty ? nil : PropertyList(parsing: body, limits: limits)
  }
}

/// Makes a `Decodable` value of an XML or binary property list.
public struct DecodedPropertyListResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer {
  /// Which responses it takes: those of success, of `application/x-plist`, unless told.
  public var validation = ResponseValidation(mediaTypes: [.propertyList])
  /// How much is taken.
  public var limits: PropertyList.Limits

  /// Makes a serializer.
  public init(_ type: Value.Type = Value.self, limits: PropertyList.Limits = PropertyList.Limits()) {
    self.limits = limits
  }

  /// The decoded value.
  ///
  /// - Throws: `PropertyListError` with the offset; `DecodingError`.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> Value {
    // Foundation's decoder sees only what our writer made: no circle, no depth beyond the limit, no offset outside.
    let checked = try PropertyList(parsing: body, limits: limits).data(.binary)
    return try PropertyListDecoder().decode(Value.self, from: checked)
  }
}

extension ResponseSerializer where Self == PropertyListResponseSerializer {
  /// The body as a property list; nil when it is empty.
  public static var propertyList: PropertyListResponseSerializer { PropertyListResponseSerializer() }
}

extension ResponseSerializer {
  /// The body as a value of a type, read from a property list.
  public static func propertyList<Value>(
    _ type: Value.Type = Value.self
  ) -> DecodedPropertyListResponseSerializer<Value> where Self == DecodedPropertyListResponseSerializer<Value> {
    DecodedPropertyListResponseSerializer(type)
  }
}

extension SerializerRegistry {
  /// Reads property lists by their type or their first bytes, as `PropertyList?`.
  @discardableResult
  public func usePropertyLists(
    _ serializer: PropertyListResponseSerializer = .propertyList
  ) -> Registry<Entry>.Token {
    register(serializer, for: [.propertyList]) { prefix in
      prefix.starts(with: "bplist".utf8) || prefix.firstRange(of: Data("<plist".utf8)) != nil
        || prefix.firstRange(of: Data("<!DOCTYPE plist".utf8)) != nil
    }
  }
}
