extension ValueDecoder {
  private func context(_ key: PathKey?, _ message: String) -> DecodingError.Context {
    DecodingError.Context(codingPath: codingPath + (key.map { [$0.codingKey] } ?? []), debugDescription: message)
  }

  @inline(never)
  func mismatch(_ type: Any.Type, _ value: JSONValue, _ key: PathKey?) -> DecodingError {
    let message = "Expected to decode \(type) but found \(value.kindName) instead."
    if case .null = value { return .valueNotFound(type, context(key, message)) }
    return .typeMismatch(type, context(key, message))
  }

  @inline(never)
  func corrupted(_ message: String, _ key: PathKey? = nil) -> DecodingError {
    .dataCorrupted(context(key, message))
  }

  @inline(never)
  func missing(_ key: any CodingKey) -> DecodingError {
    .keyNotFound(key, context(nil, "There is no member named \"\(key.stringValue)\"."))
  }

  @inline(never)
  func atEnd(_ type: Any.Type, _ index: Int) -> DecodingError {
    .valueNotFound(type, context(.index(index), "The array has only \(index) elements."))
  }
}
