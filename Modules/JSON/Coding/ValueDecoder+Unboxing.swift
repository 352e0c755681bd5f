import CurlewSerialization
import FoundationEssentials

extension ValueDecoder {
  /// Decodes a value of any type.
  ///
  /// Types that JSON represents specially do not decode themselves.
  func unbox<Value: Decodable>(
    _ value: JSONValue, _ type: Value.Type, _ key: @autoclosure () -> PathKey
  ) throws -> Value {
    if let known = KnownType(type) { return try unbox(value, known, key()) }
    if hasSpecialForm(type) { return try unboxSpecial(value, type, key()) }
    return try Value(from: child(value, key()))
  }

  /// Decodes this decoder's own value, without a step in the coding path.
  func unboxSelf<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let known = KnownType(type) { return try unbox(value, known, nil) }
    if hasSpecialForm(type) { return try unboxSpecial(value, type, nil) }
    return try Value(from: self)
  }

  /// The types that most values have.
  private enum KnownType {
    case string, int, double, bool

    init?(_ type: Any.Type) {
      if type == String.self {
        self = .string
      } else if type == Int.self {
        self = .int
      } else if type == Double.self {
        self = .double
      } else if type == Bool.self {
        self = .bool
      } else {
        return nil
      }
    }
  }

  private func unbox<Value>(_ value: JSONValue, _ known: KnownType, _ key: @autoclosure () -> PathKey?) throws -> Value
  {
    switch known {
    case .string: try same(string(value, key()))
    case .int: try same(integer(value, Int.self, key()))
    case .double: try same(double(value, key()))
    case .bool: try same(bool(value, key()))
    }
  }

  /// Whether the decoder builds a type itself instead of calling its `init(from:)`.
  private func hasSpecialForm(_ type: Any.Type) -> Bool {
    type == Float.self || type == Date.self || type == Data.self || type == URL.self || type == Decimal.self
      || type == JSONValue.self || type == [String].self || type == [Int].self || type == [Double].self
      || type is any StringDictionary.Type
  }

  private func unboxSpecial<Value: Decodable>(_ value: JSONValue, _ type: Value.Type, _ key: PathKey?) throws -> Value {
    if type == Float.self { return try same(float(value, key)) }
    if type == Date.self { return try same(date(value, key)) }
    if type == Data.self { return try same(data(value, key)) }
    if type == URL.self { return try same(url(value, key)) }
    if type == Decimal.self { return try same(decimal(value, key)) }
    if type == JSONValue.self { return try same(value) }
    // These arrays decode to the same elements as by themselves, but faster, without an unkeyed container.
    if type == [String].self { return try same(array(value, key) { try $0.string($1, .index($2)) }) }
    if type == [Int].self { return try same(array(value, key) { try $0.integer($1, Int.self, .index($2)) }) }
    if type == [Double].self { return try same(array(value, key) { try $0.double($1, .index($2)) }) }
    if let dictionary = type as? any StringDictionary.Type,
      let result = try unboxDictionary(value, dictionary, key) as? Value
    {
      return result
    }
    return try Value(from: stepping(to: value, key))
  }

  /// Returns `value` as a `Value`; the caller knows that both types are the same.
  private func same<Known, Value>(_ value: Known) throws -> Value {
    guard let value = value as? Value else { throw corrupted("A \(Known.self) is no \(Value.self).") }
    return value
  }

  private func array<Element>(
    _ value: JSONValue, _ key: PathKey?, _ decode: (ValueDecoder, JSONValue, Int) throws -> Element
  ) throws -> [Element] {
    let decoder = try stepping(to: value, key)
    guard case .array(let elements) = value else { throw decoder.mismatch([Any].self, value, nil) }
    var result: [Element] = []
    result.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() { result.append(try decode(decoder, element, index)) }
    return result
  }

  /// Decodes a dictionary with string keys.
  ///
  /// Its names are data, not coding keys, so the key strategy does not apply to them. The standard library would keep one of two
  /// members whose names differ only in their Unicode normalization.
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
      let value = try decoder.unbox(value, Value.self, .key(AnyCodingKey(name)))
      guard result.updateValue(value, forKey: name) != nil, let place = result.index(forKey: name) else { continue }
      // The last value of a duplicate name counts.
      guard result.keys[place].hasCodeUnits(of: name) else {
        throw decoder.corrupted(
          "Two names differ only in their Unicode normalization, so a dictionary cannot keep both; decode a JSONObject instead.",
          .key(AnyCodingKey(name)))
      }
    }
    return result
  }
}
