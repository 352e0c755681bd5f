/// Decodes from one value; the chain of its parents is the coding path.
final class ValueDecoder: Decoder {
  let value: YAMLValue
  let settings: YAMLValueDecoder
  private let key: PathKey?
  private let parent: ValueDecoder?
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

  /// The decoder of a value within this one's.
  func child(_ value: YAMLValue, _ key: PathKey) throws -> ValueDecoder {
    let child = ValueDecoder(value, key: key, parent: self)
    guard child.depth <= YAMLValueDecoder.maximumDepth else {
      throw child.corrupted("The value is nested deeper than \(YAMLValueDecoder.maximumDepth) collections.")
    }
    return child
  }

  var codingPath: [any CodingKey] {
    var path: [any CodingKey] = []
    var next: ValueDecoder? = self
    while let decoder = next {
      if let key = decoder.key { path.append(key.codingKey) }
      next = decoder.parent
    }
    return path.reversed()
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

  private func context(_ key: PathKey?, _ message: String) -> DecodingError.Context {
    DecodingError.Context(codingPath: codingPath + (key.map { [$0.codingKey] } ?? []), debugDescription: message)
  }

  func mismatch(_ type: Any.Type, _ value: YAMLValue, _ key: PathKey?) -> DecodingError {
    let message = "Expected to decode \(type) but found \(value.kindName) instead."
    if value.isNull { return .valueNotFound(type, context(key, message)) }
    return .typeMismatch(type, context(key, message))
  }

  func corrupted(_ message: String, _ key: PathKey? = nil) -> DecodingError {
    .dataCorrupted(context(key, message))
  }

  func missing(_ key: any CodingKey) -> DecodingError {
    .keyNotFound(key, context(nil, "There is no key \"\(key.stringValue)\"."))
  }

  func atEnd(_ type: Any.Type, _ index: Int) -> DecodingError {
    .valueNotFound(type, context(.index(index), "The sequence has only \(index) elements."))
  }
}
