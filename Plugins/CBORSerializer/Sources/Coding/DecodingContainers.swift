/// Gives a type the entries of a map.
struct MapContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let item: ItemDecoder
  private let entries: [CBORValue.Entry]
  private let places: [CBORValue: Int]

  init(item: ItemDecoder, entries: [CBORValue.Entry]) {
    self.item = item
    self.entries = entries
    places = Dictionary(entries.enumerated().map { ($1.key, $0) }) { first, _ in first }
  }

  var codingPath: [any CodingKey] { item.codingPath }

  var allKeys: [Key] {
    entries.compactMap { entry in
      if case .text(let name) = entry.key { return Key(stringValue: name) }
      return entry.key.exactly(Int.self).flatMap { Key(intValue: $0) }
    }
  }

  private func value(_ key: any CodingKey) -> CBORValue? {
    let place = key.mapInteger.flatMap { places[CBORValue($0)] } ?? places[.text(key.stringValue)]
    return place.map { entries[$0].value }
  }

  private func inner(_ key: any CodingKey) throws -> ItemDecoder {
    guard let value = value(key) else {
      throw DecodingError.keyNotFound(
        key, .init(codingPath: codingPath, debugDescription: "There is no entry with the key \"\(key.stringValue)\"."))
    }
    return item.inner(value, key)
  }

  func contains(_ key: Key) -> Bool { value(key) != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try inner(key).decodeNil() }
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try inner(key).decode(type) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try inner(key).decode(type) }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try inner(key).decode(type) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try inner(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try inner(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    item.inner(value(CBORKey.super) ?? .null, CBORKey.super)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { item.inner(value(key) ?? .null, key) }
}

/// Gives a type the elements of an array, one after the other.
struct ArrayContainer: UnkeyedDecodingContainer {
  private let item: ItemDecoder
  private let elements: [CBORValue]
  private(set) var currentIndex = 0

  init(item: ItemDecoder, elements: [CBORValue]) {
    self.item = item
    self.elements = elements
  }

  var codingPath: [any CodingKey] { item.codingPath }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  /// Passes the decoder of the next element to `decode`, and advances if that succeeds.
  private mutating func next<Value>(_ decode: (ItemDecoder) throws -> Value) throws -> Value {
    let key = CBORKey(intValue: currentIndex)
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        Value.self,
        .init(codingPath: codingPath + [key], debugDescription: "The array has only \(currentIndex) elements."))
    }
    let value = try decode(item.inner(elements[currentIndex], key))
    currentIndex += 1
    return value
  }

  mutating func decodeNil() throws -> Bool {
    let start = currentIndex
    let isNil = try next { $0.decodeNil() }
    if !isNil { currentIndex = start }
    return isNil
  }

  mutating func decode(_ type: Int128.Type) throws -> Int128 { try next { try $0.decode(type) } }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try next { try $0.decode(type) } }
  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next { try $0.decode(type) } }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try next { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}

/// A coding key with any name, or with an index.
struct CBORKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  static let `super` = CBORKey(stringValue: "super")

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = "Index \(intValue)"
    self.intValue = intValue
  }
}
