import CurlewSerialization

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
