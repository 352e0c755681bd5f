import CurlewSerialization

/// Gives `Decodable` types the members of an object.
struct ValueKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ValueDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { decoder.object.members.compactMap { Key(stringValue: $0.name) } }

  private func value(_ key: Key) throws -> JSONValue {
    guard let position = decoder.position(of: key.stringValue) else { throw decoder.missing(key) }
    return decoder.object.members[position].value
  }

  /// Returns the value of a member; nil when it is missing or null.
  private func present(_ key: Key) -> JSONValue? {
    guard let position = decoder.position(of: key.stringValue) else { return nil }
    let value = decoder.object.members[position].value
    if case .null = value { return nil }
    return value
  }

  func contains(_ key: Key) -> Bool { decoder.position(of: key.stringValue) != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try value(key).isNull }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decoder.unbox(value(key), type, .key(key))
  }
  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    guard let value = present(key) else { return nil }
    return try decoder.unbox(value, type, .key(key))
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder.bool(value(key), .key(key)) }
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try present(key).map { try decoder.bool($0, .key(key)) }
  }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try decoder.string(value(key), .key(key)) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try present(key).map { try decoder.string($0, .key(key)) }
  }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try decoder.double(value(key), .key(key)) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try present(key).map { try decoder.double($0, .key(key)) }
  }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try decoder.float(value(key), .key(key)) }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try present(key).map { try decoder.float($0, .key(key)) }
  }

  private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type, _ key: Key) throws -> Integer {
    try decoder.integer(value(key), type, .key(key))
  }
  private func integerIfPresent<Integer: FixedWidthInteger>(_ type: Integer.Type, _ key: Key) throws -> Integer? {
    guard let value = present(key) else { return nil }
    return try decoder.integer(value, type, .key(key))
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try integer(type, key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try integer(type, key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try integer(type, key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try integer(type, key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try integer(type, key) }
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try integer(type, key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try integer(type, key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try integer(type, key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try integer(type, key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try integer(type, key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try integer(type, key) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try integer(type, key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try integerIfPresent(type, key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try integerIfPresent(type, key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try integerIfPresent(type, key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try integerIfPresent(type, key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try integerIfPresent(type, key) }
  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try integerIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try integerIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try integerIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try integerIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try integerIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try integerIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try integerIfPresent(type, key) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try decoder.child(value(key), .key(key)).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder.child(value(key), .key(key)).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    try decoder.child(decoder.object["super"] ?? .null, .key(AnyCodingKey.super))
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    try decoder.child(decoder.object[key.stringValue] ?? .null, .key(key))
  }
}

extension ValueDecoder {
  /// Returns the position of the member with a name; nil if no member has it.
  ///
  /// It first tries the position after the member that was found last.
  func position(of name: String) -> Int? {
    let likely = likelyPosition
    if likely < object.members.count, !object.index.hasRepeatedNames,
      object.members[likely].name.hasCodeUnits(of: name)
    {
      likelyPosition = likely + 1
      return likely
    }
    guard let found = object.position(of: name) else { return nil }
    likelyPosition = found + 1
    return found
  }
}

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

/// Gives `Decodable` types the decoder's own value.
struct ValueSingleContainer: SingleValueDecodingContainer {
  let decoder: ValueDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
    try decoder.integer(decoder.value, type, nil)
  }

  func decodeNil() -> Bool { decoder.value.isNull }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.unboxSelf(type) }
  func decode(_ type: Bool.Type) throws -> Bool { try decoder.bool(decoder.value, nil) }
  func decode(_ type: String.Type) throws -> String { try decoder.string(decoder.value, nil) }
  func decode(_ type: Double.Type) throws -> Double { try decoder.double(decoder.value, nil) }
  func decode(_ type: Float.Type) throws -> Float { try decoder.float(decoder.value, nil) }
  func decode(_ type: Int.Type) throws -> Int { try integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
  func decode(_ type: Int128.Type) throws -> Int128 { try integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type) }
}
