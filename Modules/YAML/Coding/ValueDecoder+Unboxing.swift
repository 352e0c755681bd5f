import CurlewCore
import CurlewSerialization
import FoundationEssentials

/// Decodes scalars.
///
/// `key` is the coding-path step from this decoder's value to the given one; it is used for errors.
extension ValueDecoder {
  /// Decodes a value of any type.
  ///
  /// Types that YAML represents specially do not decode themselves.
  func unbox<Value: Decodable>(_ value: YAMLValue, _ type: Value.Type, _ key: PathKey) throws -> Value {
    if let result = try unboxKnown(value, type, key) { return result }
    return try Value(from: child(value, key))
  }

  /// Decodes this decoder's own value, without a step in the coding path.
  func unboxSelf<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let result = try unboxKnown(value, type, nil) { return result }
    return try Value(from: self)
  }

  private func unboxKnown<Value>(_ value: YAMLValue, _ type: Value.Type, _ key: PathKey?) throws -> Value? {
    if type == String.self { return Self.same(try string(value, key)) }
    if type == Int.self { return Self.same(try integer(value, Int.self, key)) }
    if type == Double.self { return Self.same(try double(value, Double.self, key)) }
    if type == Bool.self { return Self.same(try bool(value, key)) }
    if let integerType = type as? any FixedWidthInteger.Type { return try integer(value, integerType, key) as? Value }
    if type == Float.self { return Self.same(try float(value, key)) }
    if type == Date.self { return Self.same(try date(value, key)) }
    if type == Data.self { return Self.same(try data(value, key)) }
    if type == URL.self { return Self.same(try url(value, key)) }
    if type == Decimal.self { return Self.same(try decimal(value, key)) }
    if type == YAMLValue.self { return Self.same(value) }
    if let dictionary = type as? any StringDictionary.Type, let mapping = value.mappingValue {
      return try dictionary.make(of: mapping, try key.map { try child(value, $0) } ?? self) as? Value
    }
    return nil
  }

  /// Returns `value` as a `Value`; the caller knows that both types are the same.
  private static func same<Known, Value>(_ value: Known) -> Value? {
    value as? Value
  }

  private func bool(_ value: YAMLValue, _ key: PathKey?) throws -> Bool {
    guard let result = value.boolValue else { throw mismatch(Bool.self, value, key) }
    return result
  }

  private func string(_ value: YAMLValue, _ key: PathKey?) throws -> String {
    guard let result = value.stringValue else { throw mismatch(String.self, value, key) }
    guard !result.isSlowToCompare else {
      throw corrupted("The string has more than 1,024 combining marks in a row.", key)
    }
    return result
  }

  private func integer<Integer: FixedWidthInteger>(
    _ value: YAMLValue, _ type: Integer.Type, _ key: PathKey?
  ) throws -> Integer {
    let result: Integer?
    switch value.untagged {
    case .int(let number): result = number.exactly(type)
    case .float(let number): result = number.exactly(type)
    default: throw mismatch(type, value, key)
    }
    guard let result else { throw doesNotFit(value, type, key) }
    return result
  }

  /// Returns a number as a `Double`, which is infinite only for `.inf` itself.
  private func double(_ value: YAMLValue, _ type: Any.Type, _ key: PathKey?) throws -> Double {
    switch value.untagged {
    case .int(let number):
      guard number.double.isFinite else { throw doesNotFit(value, type, key) }
      return number.double
    case .float(let number):
      guard number.double.isFinite || !number.isFinite else { throw doesNotFit(value, type, key) }
      return number.double
    default: throw mismatch(type, value, key)
    }
  }

  private func float(_ value: YAMLValue, _ key: PathKey?) throws -> Float {
    let wide = try double(value, Float.self, key)
    guard wide.isFinite else { return Float(wide) }
    // Read from the digits: rounding first to `Double` and then to `Float` could be off by one unit.
    guard let text = value.scalarText, let result = Float(text), result.isFinite else {
      throw doesNotFit(value, Float.self, key)
    }
    return result
  }

  private func decimal(_ value: YAMLValue, _ key: PathKey?) throws -> Decimal {
    _ = try double(value, Decimal.self, key)
    // `Decimal` would round a number with more digits than it holds.
    guard let text = value.scalarText, let result = Decimal(string: text), result.isFinite,
      NormalDecimal(result.description) == NormalDecimal(text)
    else { throw doesNotFit(value, Decimal.self, key) }
    return result
  }

  private func doesNotFit(_ value: YAMLValue, _ type: Any.Type, _ key: PathKey?) -> DecodingError {
    corrupted("The number \((value.scalarText ?? "").prefix(64)) does not fit in the type \(type).", key)
  }

  private func url(_ value: YAMLValue, _ key: PathKey?) throws -> URL {
    guard let url = URL(keepingEscapes: try string(value, key)) else {
      throw corrupted("The string is not a valid URL.", key)
    }
    return url
  }

  private func date(_ value: YAMLValue, _ key: PathKey?) throws -> Date {
    switch settings.dateStrategy {
    case .secondsSince1970: return Date(timeIntervalSince1970: try double(value, Date.self, key))
    case .iso8601:
      if value.stringValue == nil { throw mismatch(Date.self, value, key) }
      let text = try string(value, key)
      guard let date = InternetDate.parse(text) else {
        throw corrupted("The string is not an ISO 8601 date, such as 2026-11-21T08:00:00Z.", key)
      }
      return date
    }
  }

  private func data(_ value: YAMLValue, _ key: PathKey?) throws -> Data {
    // Base64 in YAML is often broken into lines.
    let text = try string(value, key).filter { !$0.isWhitespace }
    guard let data = Data(base64Encoded: text) else { throw corrupted("The string is not valid base64.", key) }
    return data
  }
}

/// A dictionary with string keys, whatever its values.
private protocol StringDictionary {
  static func make(of mapping: YAMLMapping, _ decoder: ValueDecoder) throws -> any StringDictionary
}

extension Dictionary: StringDictionary where Key == String, Value: Decodable {
  /// Refuses a mapping if two of its keys are the same `String`: the standard library would keep only one of their values.
  fileprivate static func make(of mapping: YAMLMapping, _ decoder: ValueDecoder) throws -> any StringDictionary {
    var result: [String: Value] = [:]
    result.reserveCapacity(mapping.members.count)
    for member in mapping.members {
      guard let name = member.key.scalarText else { continue }
      let key = PathKey.key(AnyCodingKey(name))
      guard result.updateValue(try decoder.unbox(member.value, Value.self, key), forKey: name) == nil else {
        throw decoder.corrupted(
          "Two keys are the same String, so a dictionary cannot keep both; decode a YAMLValue instead.", key)
      }
    }
    return result
  }
}
