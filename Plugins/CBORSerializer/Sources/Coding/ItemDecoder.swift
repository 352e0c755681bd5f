import CurlewCore
import FoundationEssentials

/// Decodes one data item.
struct ItemDecoder: Decoder, SingleValueDecodingContainer {
  let value: CBORValue
  private let step: PathStep?
  private let info: [CodingUserInfoKey: any Sendable]

  init(_ value: CBORValue, step: PathStep? = nil, info: [CodingUserInfoKey: any Sendable]) {
    self.value = value
    self.step = step
    self.info = info
  }

  var codingPath: [any CodingKey] { step?.path ?? [] }
  var userInfo: [CodingUserInfoKey: Any] { info }

  /// Returns the decoder of an item inside this one.
  func inner(_ value: CBORValue, _ key: any CodingKey) -> ItemDecoder {
    ItemDecoder(value, step: PathStep(key, after: step), info: info)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .map(let entries) = value.untagged else { throw mismatch([String: Any].self) }
    return KeyedDecodingContainer(MapContainer<Key>(item: self, entries: entries))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = value.untagged else { throw mismatch([Any].self) }
    return ArrayContainer(item: self, elements: elements)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { value == .null || value == .undefined }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let known = try known(type), let value = known as? Value { return value }
    return try Value(from: self)
  }

  // The protocols' own methods for these two types throw.
  func decode(_ type: Int128.Type) throws -> Int128 { try integer(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type) }

  /// Returns the value of a type that CBOR represents itself; nil for other types.
  private func known(_ type: any Decodable.Type) throws -> (any Decodable)? {
    switch type {
    case is CBORValue.Type: return value
    case is String.Type: return try text(String.self)
    case is Bool.Type:
      guard case .bool(let result) = value.untagged else { throw mismatch(Bool.self) }
      return result
    case is Double.Type: return try double(Double.self)
    case is Float.Type:
      let number = try double(Float.self)
      guard Float(number).isFinite || !number.isFinite else { throw doesNotFit(Float.self) }
      return Float(number)
    case is Data.Type:
      guard case .bytes(let bytes) = value.untagged else { throw mismatch(Data.self) }
      return bytes
    case is Date.Type: return try date()
    case let type as any DictionaryWithExactKeys.Type: return try type.decode(from: self)
    case is URL.Type:
      guard let url = URL(keepingEscapes: try text(URL.self)) else { throw corrupted("The text is not a valid URL.") }
      return url
    case let type as any (FixedWidthInteger & Decodable).Type: return try integer(type)
    default: return nil
    }
  }

  private func text(_ type: Any.Type) throws -> String {
    guard case .text(let text) = value.untagged else { throw mismatch(type) }
    guard !text.isSlowToCompare else { throw corrupted("The text has more than 1,024 combining marks in a row.") }
    return text
  }

  private func integer<Value: FixedWidthInteger & Decodable>(_ type: Value.Type) throws -> Value {
    if let number = value.exactly(type) ?? value.untagged.exactly(type) { return number }
    switch value.untagged {
    case .float(let number):
      guard let whole = Value(exactly: number) else { throw doesNotFit(type) }
      return whole
    case .unsigned, .negative: throw doesNotFit(type)
    default:
      if case .tagged(CBORValue.bignumTag...CBORValue.negativeBignumTag, .bytes) = value { throw doesNotFit(type) }
      throw mismatch(type)
    }
  }

  private func double(_ type: Any.Type) throws -> Double {
    switch value.untagged {
    case .float(let number): return number
    case .unsigned, .negative:
      guard let whole = value.untagged.exactly(Int128.self), let number = Double(exactly: whole) else {
        throw doesNotFit(type)
      }
      return number
    default: throw mismatch(type)
    }
  }

  private func date() throws -> Date {
    switch value {
    case .tagged(0, .text), .tagged(1, .float), .tagged(1, .unsigned), .tagged(1, .negative): break
    case .tagged:
      throw corrupted(
        "A date is RFC 3339 text with the tag 0, a number of seconds with the tag 1, or either without a tag.")
    default: break
    }
    if case .text(let text) = value.untagged {
      guard let date = InternetDate.parse(text) else {
        throw corrupted("The text is not an RFC 3339 date, such as 2026-11-21T08:00:00Z.")
      }
      return date
    }
    let seconds = try double(Date.self)
    guard seconds.isFinite else { throw corrupted("A date must be a finite number of seconds.") }
    return Date(timeIntervalSince1970: seconds)
  }

  // MARK: Errors

  func mismatch(_ type: Any.Type) -> DecodingError {
    let context = DecodingError.Context(
      codingPath: codingPath, debugDescription: "Expected to decode \(type) but found \(value.kindName) instead.")
    return decodeNil() ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }

  private func doesNotFit(_ type: Any.Type) -> DecodingError {
    corrupted("The number does not fit in the type \(type).")
  }

  func corrupted(_ message: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: codingPath, debugDescription: message))
  }
}

extension CBORValue {
  /// The value behind its tags, except that a bignum keeps the tag that makes it a number.
  var untagged: CBORValue {
    var value = self
    while case .tagged(let tag, let inner) = value {
      if tag == Self.bignumTag || tag == Self.negativeBignumTag, case .bytes = inner { break }
      value = inner
    }
    return value
  }

  /// What the value is, for messages.
  var kindName: String {
    switch self {
    case .unsigned, .negative: "an integer"
    case .bytes: "a byte string"
    case .text: "text"
    case .array: "an array"
    case .map: "a map"
    case .tagged(let tag, let value): "\(value.kindName) with the tag \(tag)"
    case .bool: "a boolean"
    case .null: "null"
    case .undefined: "undefined"
    case .simple: "a simple value"
    case .float: "a floating-point number"
    }
  }
}
