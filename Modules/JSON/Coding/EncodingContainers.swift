import CurlewSerialization

/// Collects the members of an object.
struct EncodingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ValueEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil(forKey key: Key) throws {
    encoder.node.append(encoder.name(of: key), EncodingNode(.value(.null)))
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    encoder.node.append(encoder.name(of: key), try encoder.box(value, .key(key)))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    nested(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    nested(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder {
    let child = encoder.nested(.key(AnyCodingKey.super))
    encoder.node.append(encoder.name(of: AnyCodingKey.super), child.node)
    return child
  }

  func superEncoder(forKey key: Key) -> any Encoder {
    let child = encoder.nested(.key(key))
    encoder.node.append(encoder.name(of: key), child.node)
    return child
  }

  /// Returns the encoder of a member that is itself a container.
  ///
  /// A second call for the same key fills the same container.
  private func nested(_ key: Key) -> ValueEncoder {
    encoder.nested(.key(key), encoder.node.member(encoder.name(of: key)))
  }
}

/// Collects the elements of an array.
struct EncodingUnkeyedContainer: UnkeyedEncodingContainer {
  let encoder: ValueEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.node.count }

  func encodeNil() throws {
    encoder.node.append(EncodingNode(.value(.null)))
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    encoder.node.append(try encoder.box(value, .index(count)))
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    nested().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    nested().unkeyedContainer()
  }

  func superEncoder() -> any Encoder {
    nested()
  }

  private func nested() -> ValueEncoder {
    let child = encoder.nested(.index(count))
    encoder.node.append(child.node)
    return child
  }
}

/// Collects a single value.
struct EncodingSingleContainer: SingleValueEncodingContainer {
  let encoder: ValueEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() throws {
    encoder.node.content = .value(.null)
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    encoder.node.content = try encoder.box(value, nil).content
  }
}
