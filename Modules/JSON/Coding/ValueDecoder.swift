import CurlewSerialization

/// Decodes one value; the chain of its parents is the coding path.
final class ValueDecoder: Decoder, CodingPathNode {
  let value: JSONValue
  let settings: DecodingSettings
  let key: PathKey?
  let parent: ValueDecoder?
  private let depth: Int
  /// The members that keyed containers read, with their names converted.
  ///
  /// Empty until a keyed container is requested. They are stored here so that a container is one reference, because types copy
  /// and destroy containers often.
  private(set) var object = JSONObject()
  /// The position at which the next member is expected.
  ///
  /// Members usually occur in the order in which types decode them.
  var likelyPosition = 0

  init(_ value: JSONValue, settings: DecodingSettings) {
    self.value = value
    self.settings = settings
    key = nil
    parent = nil
    depth = 0
  }

  private init(_ value: JSONValue, key: PathKey, parent: ValueDecoder) {
    self.value = value
    self.key = key
    self.parent = parent
    settings = parent.settings
    depth = parent.depth + 1
  }

  /// Returns the decoder of a value inside this decoder's value.
  func child(_ value: JSONValue, _ key: PathKey) throws -> ValueDecoder {
    let child = ValueDecoder(value, key: key, parent: self)
    guard child.depth <= JSONValueDecoder.maximumDepth else {
      throw child.corrupted("The value is nested deeper than \(JSONValueDecoder.maximumDepth) containers.")
    }
    return child
  }

  var userInfo: [CodingUserInfoKey: Any] { settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try openObject()
    return KeyedDecodingContainer(ValueKeyedContainer<Key>(decoder: self))
  }

  /// Fills `object` for keyed containers; throws unless the value is an object.
  private func openObject() throws {
    guard case .object(let members) = value else { throw mismatch([String: Any].self, value, nil) }
    object = settings.changesKeys ? convertingNames(of: members) : members
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = value else { throw mismatch([Any].self, value, nil) }
    return ValueUnkeyedContainer(decoder: self, elements: elements)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    ValueSingleContainer(decoder: self)
  }
}

extension ValueDecoder {
  func mismatch(_ type: Any.Type, _ value: JSONValue, _ key: PathKey?) -> DecodingError {
    mismatch(type, found: value.kindName, isNull: value.isNull, key)
  }

  func missing(_ key: any CodingKey) -> DecodingError {
    missing(key, "There is no member named \"\(key.stringValue)\".")
  }

  func atEnd(_ type: Any.Type, _ index: Int) -> DecodingError {
    missing(type, "The array has only \(index) elements.", .index(index))
  }
}
