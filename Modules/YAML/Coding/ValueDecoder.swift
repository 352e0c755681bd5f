import CurlewSerialization

/// Decodes one value; the chain of its parents is the coding path.
final class ValueDecoder: Decoder, CodingPathNode {
  let value: YAMLValue
  let settings: YAMLValueDecoder
  let key: PathKey?
  let parent: ValueDecoder?
  private let depth: Int

  init(_ value: YAMLValue, decoder: YAMLValueDecoder) {
    self.value = value
    settings = decoder
    key = nil
    parent = nil
    depth = 0
  }

  private init(_ value: YAMLValue, key: PathKey, parent: ValueDecoder) {
    self.value = value
    self.key = key
    self.parent = parent
    settings = parent.settings
    depth = parent.depth + 1
  }

  /// Returns the decoder of a value inside this decoder's value.
  func child(_ value: YAMLValue, _ key: PathKey) throws -> ValueDecoder {
    let child = ValueDecoder(value, key: key, parent: self)
    guard child.depth <= YAMLValueDecoder.maximumDepth else {
      throw child.corrupted("The value is nested deeper than \(YAMLValueDecoder.maximumDepth) collections.")
    }
    return child
  }

  var userInfo: [CodingUserInfoKey: Any] { settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard let mapping = value.mappingValue else { throw mismatch(YAMLMapping.self, value, nil) }
    return KeyedDecodingContainer(ValueKeyedContainer<Key>(decoder: self, mapping: mapping))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard let elements = value.sequenceValue else { throw mismatch([YAMLValue].self, value, nil) }
    return ValueUnkeyedContainer(decoder: self, elements: elements)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    ValueSingleContainer(decoder: self)
  }

  // MARK: Errors

  func mismatch(_ type: Any.Type, _ value: YAMLValue, _ key: PathKey?) -> DecodingError {
    mismatch(type, found: value.kindName, isNull: value.isNull, key)
  }

  func missing(_ key: any CodingKey) -> DecodingError {
    missing(key, "There is no key \"\(key.stringValue)\".")
  }

  func atEnd(_ type: Any.Type, _ index: Int) -> DecodingError {
    missing(type, "The sequence has only \(index) elements.", .index(index))
  }
}
