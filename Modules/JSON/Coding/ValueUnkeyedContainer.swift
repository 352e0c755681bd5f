import CurlewSerialization

/// Gives `Decodable` types the elements of an array, one after the other.
struct ValueUnkeyedContainer: UnkeyedDecodingContainer {
  private let decoder: ValueDecoder
  private let elements: [JSONValue]
  private(set) var currentIndex = 0

  init(decoder: ValueDecoder, elements: [JSONValue]) {
    self.decoder = decoder
    self.elements = elements
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  /// Passes the next element to `decode` and advances if that succeeds.
  private mutating func next<Value>(
    _ type: Any.Type, _ decode: (ValueDecoder, JSONValue, Int) throws -> Value
  ) throws -> Value {
    guard currentIndex < elements.count else { throw decoder.atEnd(type, currentIndex) }
    let value = try decode(decoder, elements[currentIndex], currentIndex)
    currentIndex += 1
    return value
  }

  private mutating func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
    try next(type) { try $0.integer($1, type, .index($2)) }
  }

  mutating func decodeNil() throws -> Bool {
    guard currentIndex < elements.count else { throw decoder.atEnd(Never?.self, currentIndex) }
    guard elements[currentIndex].isNull else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try next(type) { try $0.unbox($1, type, .index($2)) }
  }
  mutating func decode(_ type: Bool.Type) throws -> Bool { try next(type) { try $0.bool($1, .index($2)) } }
  mutating func decode(_ type: String.Type) throws -> String { try next(type) { try $0.string($1, .index($2)) } }
  mutating func decode(_ type: Double.Type) throws -> Double { try next(type) { try $0.double($1, .index($2)) } }
  mutating func decode(_ type: Float.Type) throws -> Float { try next(type) { try $0.float($1, .index($2)) } }
  mutating func decode(_ type: Int.Type) throws -> Int { try integer(type) }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try integer(type) }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type) }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try next(type) { try $0.child($1, .index($2)).container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next([Any].self) { try $0.child($1, .index($2)).unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder {
    try next((any Decoder).self) { try $0.child($1, .index($2)) }
  }
}
