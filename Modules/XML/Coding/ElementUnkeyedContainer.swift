import CurlewSerialization
import FoundationEssentials

/// Gives `Decodable` types the elements of an array, one after the other.
struct ElementUnkeyedContainer: UnkeyedDecodingContainer {
  private let decoder: ElementDecoder
  private let elements: [XMLElement]
  private(set) var currentIndex = 0

  init(decoder: ElementDecoder, elements: [XMLElement]) {
    self.decoder = decoder
    self.elements = elements
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  /// Passes the next element to `decode` and advances if that succeeds.
  private mutating func next<Value>(_ type: Any.Type, _ decode: (ElementDecoder) throws -> Value) throws -> Value {
    guard currentIndex < elements.count else {
      throw decoder.missing(type, "There are only \(currentIndex) elements.", .index(currentIndex))
    }
    let value = try decode(decoder.child(.element(elements[currentIndex]), .index(currentIndex)))
    currentIndex += 1
    return value
  }

  mutating func decodeNil() throws -> Bool {
    guard try next((Never?).self, { $0.isNil }) else {
      currentIndex -= 1
      return false
    }
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next(type) { try $0.value(type) } }
  mutating func decode(_ type: Bool.Type) throws -> Bool { try next(type) { try $0.bool() } }
  mutating func decode(_ type: String.Type) throws -> String { try next(type) { try $0.text(type) } }
  mutating func decode(_ type: Double.Type) throws -> Double { try next(type) { try $0.floating(type) } }
  mutating func decode(_ type: Float.Type) throws -> Float { try next(type) { try $0.floating(type) } }
  mutating func decode(_ type: Int.Type) throws -> Int { try next(type) { try $0.integer(type) } }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try next(type) { try $0.integer(type) } }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try next(type) { try $0.integer(type) } }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try next(type) { try $0.integer(type) } }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try next(type) { try $0.integer(type) } }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try next(type) { try $0.integer(type) } }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next(type) { try $0.integer(type) } }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next(type) { try $0.integer(type) } }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next(type) { try $0.integer(type) } }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next(type) { try $0.integer(type) } }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try next([String: Any].self) { try $0.container(keyedBy: type) }
  }
  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next([Any].self) { try $0.unkeyedContainer() }
  }
  mutating func superDecoder() throws -> any Decoder { try next((any Decoder).self) { $0 } }
}

/// Gives `Decodable` types one text or element.
struct ElementSingleContainer: SingleValueDecodingContainer {
  let decoder: ElementDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }
  func decodeNil() -> Bool { decoder.isNil }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.value(type) }
  func decode(_ type: Bool.Type) throws -> Bool { try decoder.bool() }
  func decode(_ type: String.Type) throws -> String { try decoder.text(type) }
  func decode(_ type: Double.Type) throws -> Double { try decoder.floating(type) }
  func decode(_ type: Float.Type) throws -> Float { try decoder.floating(type) }
  func decode(_ type: Int.Type) throws -> Int { try decoder.integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try decoder.integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try decoder.integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try decoder.integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try decoder.integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try decoder.integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try decoder.integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try decoder.integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try decoder.integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try decoder.integer(type) }
}

extension ElementDecoder {
  /// Whether a type has no blank values, so that blank text makes its optional nil.
  static func isNeverBlank(_ type: Any.Type) -> Bool {
    type is Date.Type || type is URL.Type || type is Decimal.Type
  }
}
