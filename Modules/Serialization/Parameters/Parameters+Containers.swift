import FoundationEssentials

struct ParametersKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ParametersEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  private func encoder(at key: any CodingKey) -> ParametersEncoder {
    encoder.inner(encoder.slot.member(key.stringValue), key)
  }

  mutating func encodeNil(forKey key: Key) throws { encoder(at: key).slot.content = .value(.null) }

  // The protocol's own method for this type throws.
  mutating func encode(_ value: Int128, forKey key: Key) throws {
    encoder(at: key).slot.content = .value(.integer(value))
  }

  mutating func encode(_ value: some Encodable, forKey key: Key) throws {
    let encoder = encoder(at: key)
    // A second value for a key replaces the first. Only containers from `nestedContainer` are merged.
    encoder.slot.content = .nothing
    try encoder.write(value)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    encoder(at: key).container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(at: key).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { encoder(at: AnyCodingKey.super) }

  mutating func superEncoder(forKey key: Key) -> any Encoder { encoder(at: key) }
}

struct ParametersUnkeyedContainer: UnkeyedEncodingContainer {
  let encoder: ParametersEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.slot.count }

  private func nextEncoder() -> ParametersEncoder {
    let key = AnyCodingKey(intValue: count)
    return encoder.inner(encoder.slot.element(), key)
  }

  mutating func encodeNil() throws { nextEncoder().slot.content = .value(.null) }

  // The protocol's own method for this type throws.
  mutating func encode(_ value: Int128) throws { nextEncoder().slot.content = .value(.integer(value)) }

  mutating func encode(_ value: some Encodable) throws { try nextEncoder().write(value) }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    nextEncoder().container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nextEncoder().unkeyedContainer() }

  mutating func superEncoder() -> any Encoder { nextEncoder() }
}

struct ParametersSingleContainer: SingleValueEncodingContainer {
  let encoder: ParametersEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  private func keep(_ value: Parameters) { encoder.slot.content = .value(value) }

  mutating func encodeNil() throws { keep(.null) }
  mutating func encode(_ value: Bool) throws { keep(.bool(value)) }
  mutating func encode(_ value: String) throws { keep(.string(value)) }
  mutating func encode(_ value: Double) throws { keep(.double(value)) }
  // The shortest text of the `Float` keeps 0.1 from becoming 0.10000000149011612.
  mutating func encode(_ value: Float) throws { keep(.double(Double(value.description) ?? Double(value))) }
  mutating func encode(_ value: Int) throws { keep(.integer(Int128(value))) }
  mutating func encode(_ value: Int8) throws { keep(.integer(Int128(value))) }
  mutating func encode(_ value: Int16) throws { keep(.integer(Int128(value))) }
  mutating func encode(_ value: Int32) throws { keep(.integer(Int128(value))) }
  mutating func encode(_ value: Int64) throws { keep(.integer(Int128(value))) }
  mutating func encode(_ value: UInt) throws { keep(.integer(Int128(value))) }
  mutating func encode(_ value: UInt8) throws { keep(.integer(Int128(value))) }
  mutating func encode(_ value: UInt16) throws { keep(.integer(Int128(value))) }
  mutating func encode(_ value: UInt32) throws { keep(.integer(Int128(value))) }
  mutating func encode(_ value: UInt64) throws { keep(.integer(Int128(value))) }
  mutating func encode(_ value: Int128) throws { keep(.integer(value)) }
  mutating func encode(_ value: some Encodable) throws { try encoder.write(value) }
}
