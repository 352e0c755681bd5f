/// A dictionary that is decoded key by key.
///
/// The standard library would take a text as an integer, skip keys of other types, and keep the last of two keys that it takes for
/// the same.
protocol DictionaryWithExactKeys: Decodable {
  static func decode(from item: ItemDecoder) throws -> Self
}

/// A key of a dictionary that has one form in CBOR.
protocol ExactKey: Hashable, Decodable {
  init?(exactly key: CBORValue)
  var codingKey: CBORKey { get }
}

extension String: ExactKey {
  init?(exactly key: CBORValue) {
    guard case .text(let text) = key else { return nil }
    self = text
  }

  var codingKey: CBORKey { CBORKey(stringValue: self) }
}

extension Int: ExactKey {
  init?(exactly key: CBORValue) {
    guard let number: Int = key.exactly() else { return nil }
    self = number
  }

  var codingKey: CBORKey { CBORKey(intValue: self) }
}

extension Dictionary: DictionaryWithExactKeys where Key: ExactKey, Value: Decodable {
  static func decode(from item: ItemDecoder) throws -> [Key: Value] {
    guard case .map(let entries) = item.value.untagged else { throw item.mismatch([Key: Value].self) }
    var result: [Key: Value] = [:]
    result.reserveCapacity(entries.count)
    for entry in entries {
      guard let key = Key(exactly: entry.key) else {
        throw item.corrupted("Expected keys of the type \(Key.self) but found \(entry.key.kindName) as a key.")
      }
      let value: Value = try item.inner(entry.value, key.codingKey).decode(Value.self)
      guard result.updateValue(value, forKey: key) == nil else {
        throw item.corrupted("Two keys are the same \(Key.self): \(key).")
      }
    }
    return result
  }
}
