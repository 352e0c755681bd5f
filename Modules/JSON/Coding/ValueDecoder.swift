import CurlewCore
import CurlewSerialization
import FoundationEssentials

/// Decodes one value; the chain of its parents is the coding path.
final class ValueDecoder: Decoder, CodingPathNode {
  let value: JSONValue
  let settings: DecodingSettings
  let key: PathKey?
  let parent: ValueDecoder?
  private let depth: Int
  /// The members that keyed containers read, with their names converted.
  ///
  /// Empty until a keyed container is requested. They are stored here so that a container is one reference, because types copy
  /// and destroy containers often.
  private(set) var object = JSONObject()
  /// The position at which the next member is expected.
  ///
  /// Members usually occur in the order in which types decode them.
  var likelyPosition = 0

  init(_ value: JSONValue, settings: DecodingSettings) {
    self.value = value
    self.settings = settings
    key = nil
    parent = nil
    depth = 0
  }

  private init(_ value: JSONValue, key: PathKey, parent: ValueDecoder) {
    self.value = value
    self.key = key
    self.parent = parent
    settings = parent.settings
    depth = parent.depth + 1
  }

  /// Returns the decoder of a value inside this decoder's value.
  func child(_ value: JSONValue, _ key: PathKey) throws -> ValueDecoder {
    let child = ValueDecoder(value, key: key, parent: self)
    guard child.depth <= JSONValueDecoder.maximumDepth else {
      throw child.corrupted("The value is nested deeper than \(JSONValueDecoder.maximumDepth) containers.")
    }
    return child
  }

  var userInfo: [CodingUserInfoKey: Any] { settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try openObject()
    return KeyedDecodingContainer(ValueKeyedContainer<Key>(decoder: self))
  }

  /// Fills `object` for keyed containers; throws unless the value is an object.
  private func openObject() throws {
    guard case .object(let members) = value else { throw mismatch([String: Any].self, value, nil) }
    object = settings.changesKeys ? convertingNames(of: members) : members
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = value else { throw mismatch([Any].self, value, nil) }
    return ValueUnkeyedContainer(decoder: self, elements: elements)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    ValueSingleContainer(decoder: self)
  }
}

extension ValueDecoder {
  func mismatch(_ type: Any.Type, _ value: JSONValue, _ key: PathKey?) -> DecodingError {
    mismatch(type, found: value.kindName, isNull: value.isNull, key)
  }

  func missing(_ key: any CodingKey) -> DecodingError {
    guard case .object(let members) = value, let near = alike(key, among: members.members.lazy.map(\.name)) else {
      return missing(key, "There is no member named \"\(key.stringValue)\".")
    }
    let isConverted = near.dropFirst().contains("_") && key.stringValue.contains(where: \.isUppercase)
    let strategy = isConverted && !settings.changesKeys ? " (`keyDecodingStrategy` converts names)" : ""
    return missing(key, "There is no member named \"\(key.stringValue)\", but there is \"\(near)\"\(strategy).")
  }

  func atEnd(_ type: Any.Type, _ index: Int) -> DecodingError {
    missing(type, "The array has only \(index) elements.", .index(index))
  }
}

/// Decodes scalars.
///
/// `key` is the coding-path step from this decoder's value to the given one; it is made for errors only.
extension ValueDecoder {
  func bool(_ value: JSONValue, _ key: @autoclosure () -> PathKey?) throws -> Bool {
    guard case .bool(let result) = value else { throw mismatch(Bool.self, value, key()) }
    return result
  }

  func string(_ value: JSONValue, _ key: @autoclosure () -> PathKey?) throws -> String {
    guard case .string(let result) = value else { throw mismatch(String.self, value, key()) }
    guard !result.isSlowToCompare else { throw tooManyMarks(key()) }
    return result
  }

  func integer<Integer: FixedWidthInteger>(
    _ value: JSONValue, _ type: Integer.Type, _ key: @autoclosure () -> PathKey?
  ) throws -> Integer {
    guard case .number(let number) = value else { throw mismatch(type, value, key()) }
    guard let result = number.exactly(type) else { throw doesNotFit(number, type, key()) }
    return result
  }

  func double(_ value: JSONValue, _ key: @autoclosure () -> PathKey?) throws -> Double {
    if case .number(let number) = value, let result = number.double { return result }
    return try rareDouble(value, key())
  }

  /// Decodes a value that is not a number within the range of `Double`.
  ///
  /// It is the name of an infinity or of NaN, or the decoding fails.
  private func rareDouble(_ value: JSONValue, _ key: PathKey?) throws -> Double {
    if case .number(let number) = value { throw doesNotFit(number, Double.self, key) }
    guard case .string(let text) = value, let result: Double = nonConforming(text) else {
      throw mismatch(Double.self, value, key)
    }
    return result
  }

  func float(_ value: JSONValue, _ key: PathKey?) throws -> Float {
    switch value {
    case .number(let number):
      // Read from the digits: rounding first to `Double` and then to `Float` could be off by one unit.
      guard let result = Float(number.text), result.isFinite else { throw doesNotFit(number, Float.self, key) }
      return result
    case .string(let text):
      guard let result: Float = nonConforming(text) else { throw mismatch(Float.self, value, key) }
      return result
    default: throw mismatch(Float.self, value, key)
    }
  }

  private func tooManyMarks(_ key: PathKey?) -> DecodingError {
    corrupted("The string has more than 1,024 combining marks in a row.", key)
  }

  private func nonConforming<Value: BinaryFloatingPoint>(_ text: String) -> Value? {
    guard case .convertFromString(let positive, let negative, let nan) = settings.floats, !text.isSlowToCompare
    else { return nil }
    if text == positive { return Value.infinity }
    if text == negative { return -Value.infinity }
    return text == nan ? Value.nan : nil
  }

  private func doesNotFit(_ number: JSONNumber, _ type: Any.Type, _ key: PathKey?) -> DecodingError {
    corrupted("The number \(number.text.prefix(64)) does not fit in the type \(type).", key)
  }

  func decimal(_ value: JSONValue, _ key: PathKey?) throws -> Decimal {
    guard case .number(let number) = value else { throw mismatch(Decimal.self, value, key) }
    guard let result = number.decimal else { throw doesNotFit(number, Decimal.self, key) }
    return result
  }

  func url(_ value: JSONValue, _ key: PathKey?) throws -> URL {
    let text = try string(value, key)
    guard let url = URL(keepingEscapes: text) else { throw corrupted("The string is not a valid URL.", key) }
    return url
  }

  func date(_ value: JSONValue, _ key: PathKey?) throws -> Date {
    switch settings.dates {
    case .deferredToDate: return try Date(from: stepping(to: value, key))
    case .secondsSince1970: return Date(timeIntervalSince1970: try double(value, key))
    case .millisecondsSince1970: return Date(timeIntervalSince1970: try double(value, key) / 1000)
    case .iso8601:
      if case .number = value {
        throw mismatch(Date.self, found: "a number; `dateDecodingStrategy` says what numbers count", key)
      }
      let text = try string(value, key)
      guard let date = InternetDate.parse(text) else {
        throw corrupted("The string is not an ISO 8601 date, such as 2026-11-21T08:00:00Z.", key)
      }
      return date
    case .custom(let decode): return try decode(stepping(to: value, key))
    @unknown default: throw corrupted("The strategy for dates is not supported.", key)
    }
  }

  func data(_ value: JSONValue, _ key: PathKey?) throws -> Data {
    switch settings.data {
    case .deferredToData: return try Data(from: stepping(to: value, key))
    case .base64:
      guard let data = Data(base64Encoded: try string(value, key)) else {
        throw corrupted("The string is not valid base64.", key)
      }
      return data
    case .custom(let decode): return try decode(stepping(to: value, key))
    @unknown default: throw corrupted("The strategy for data is not supported.", key)
    }
  }
}
