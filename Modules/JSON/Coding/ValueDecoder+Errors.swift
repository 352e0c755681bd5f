import CurlewSerialization

extension ValueDecoder {
  @inline(never)
  func mismatch(_ type: Any.Type, _ value: JSONValue, _ key: PathKey?) -> DecodingError {
    mismatch(type, found: value.kindName, isNull: value.isNull, key)
  }

  @inline(never)
  func missing(_ key: any CodingKey) -> DecodingError {
    missing(key, "There is no member named \"\(key.stringValue)\".")
  }

  @inline(never)
  func atEnd(_ type: Any.Type, _ index: Int) -> DecodingError {
    missing(type, "The array has only \(index) elements.", .index(index))
  }
}
