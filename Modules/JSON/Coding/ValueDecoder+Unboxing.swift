import CurlewSerialization
import FoundationEssentials

extension ValueDecoder {
  /// Decodes a value of any type.
  ///
  /// Types that JSON represents specially do not decode themselves.
  func unbox<Value: Decodable>(_ value: JSONValue, _ type: Value.Type, _ key: PathKey) throws -> Value {
    if let result = try unboxKnown(value, type, key) { return result }
    return try Value(from: child(value, key))
  }

  /// Decodes this decoder's own value, without a step in the coding path.
  func unboxSelf<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let result = try unboxKnown(value, type, nil) { return result }
    return try Value(from: self)
  }

  @inline(__always)
  private func unboxKnown<Value>(_ value: JSONValue, _ type: Value.Type, _ key: PathKey?) throws -> Value? {
    if type == String.self { return Self.same(try string(value, key)) }
    if type == Int.self { return Self.same(try integer(value, Int.self, key)) }
    if type == Double.self { return Self.same(try double(value, key)) }
    if type == Bool.self { return Self.same(try bool(value, key)) }
    return try unboxRare(value, type, key)
  }

  @inline(never)
  private func unboxRare<Value>(_ value: JSONValue, _ type: Value.Type, _ key: PathKey?) throws -> Value? {
    if type == Float.self { return Self.same(try float(value, key)) }
    if type == Date.self { return Self.same(try date(value, key)) }
    if type == Data.self { return Self.same(try data(value, key)) }
    if type == URL.self { return Self.same(try url(value, key)) }
    if type == Decimal.self { return Self.same(try decimal(value, key)) }
    if type == JSONValue.self { return Self.same(value) }
    if settings.changesKeys, let dictionary = type as? any StringDictionary.Type {
      return try unboxDictionary(value, dictionary, key) as? Value
    }
    return nil
  }

  /// Returns `value` as the type that it is known to have.
  @inline(__always)
  private static func same<Known, Value>(_ value: Known) -> Value? {
    guard Known.self == Value.self else { return nil }
    // Safe because both are the same type.
    return unsafeBitCast(value, to: Value.self)
  }

  /// Names in a dictionary are data, not keys, so the key strategy does not apply to them.
  private func unboxDictionary(
    _ value: JSONValue, _ type: any StringDictionary.Type, _ key: PathKey?
  ) throws -> any StringDictionary {
    guard case .object(let object) = value else { throw mismatch([String: Any].self, value, key) }
    return try type.make(of: object, try stepping(to: value, key))
  }

  /// Returns the decoder of the value at `key`; this decoder if `key` is nil.
  func stepping(to value: JSONValue, _ key: PathKey?) throws -> ValueDecoder {
    try key.map { try child(value, $0) } ?? self
  }
}

/// A dictionary with string keys, whatever its values.
private protocol StringDictionary {
  static func make(of object: JSONObject, _ decoder: ValueDecoder) throws -> any StringDictionary
}

extension Dictionary: StringDictionary where Key == String, Value: Decodable {
  fileprivate static func make(of object: JSONObject, _ decoder: ValueDecoder) throws -> any StringDictionary {
    var result: [String: Value] = [:]
    result.reserveCapacity(object.count)
    for (name, value) in object {
      result[name] = try decoder.unbox(value, Value.self, .key(AnyCodingKey(name)))
    }
    return result
  }
}
