import CurlewSerialization

/// Gives `Decodable` types the entries of a mapping.
struct ValueKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ValueDecoder
  let mapping: YAMLMapping

  var codingPath: [any CodingKey] { decoder.codingPath }

  /// Keys that are sequences or mappings have no name, so they are left out.
  var allKeys: [Key] { mapping.members.compactMap { $0.key.scalarText.flatMap(Key.init(stringValue:)) } }

  func contains(_ key: Key) -> Bool { mapping.position(named: key.stringValue) != nil }

  private func value(_ key: any CodingKey) throws -> YAMLValue {
    guard let position = mapping.position(named: key.stringValue) else { throw decoder.missing(key) }
    return mapping.members[position].value
  }

  func decodeNil(forKey key: Key) throws -> Bool { try value(key).isNull }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decoder.unbox(value(key), type, .key(key))
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    guard let position = mapping.position(named: key.stringValue) else { return nil }
    let value = mapping.members[position].value
    if value.isNull { return nil }
    return try decoder.unbox(value, type, .key(key))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try decoder.child(value(key), .key(key)).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder.child(value(key), .key(key)).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try superDecoder(AnyCodingKey.super) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder(key) }

  private func superDecoder(_ key: any CodingKey) throws -> any Decoder {
    try decoder.child(mapping[key.stringValue] ?? .null, .key(key))
  }
}

/// Gives `Decodable` types the elements of a sequence, one after the other.
struct ValueUnkeyedContainer: UnkeyedDecodingContainer {
  let decoder: ValueDecoder
  let elements: [YAMLValue]
  private(set) var currentIndex = 0

  init(decoder: ValueDecoder, elements: [YAMLValue]) {
    self.decoder = decoder
    self.elements = elements
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  /// Passes the next element to `decode` and advances if that succeeds.
  private mutating func next<Value>(_ type: Any.Type, _ decode: (YAMLValue, PathKey) throws -> Value) throws -> Value {
    guard currentIndex < elements.count else { throw decoder.atEnd(type, currentIndex) }
    let value = try decode(elements[currentIndex], .index(currentIndex))
    currentIndex += 1
    return value
  }

  mutating func decodeNil() throws -> Bool {
    guard currentIndex < elements.count else { throw decoder.atEnd(Never?.self, currentIndex) }
    guard elements[currentIndex].isNull else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let decoder = decoder
    return try next(type) { try decoder.unbox($0, type, $1) }
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    let decoder = decoder
    return try next(type) { try decoder.child($0, $1).container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let decoder = decoder
    return try next([YAMLValue].self) { try decoder.child($0, $1).unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = decoder
    return try next((any Decoder).self) { try decoder.child($0, $1) }
  }
}

/// Gives `Decodable` types the decoder's own value.
struct ValueSingleContainer: SingleValueDecodingContainer {
  let decoder: ValueDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.value.isNull }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.unboxSelf(type) }
}
