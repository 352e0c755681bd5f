/// Creates errors about the node's value, or about the one that `key` leads to.
extension CodingPathNode {
  private func context(_ key: PathKey?, _ message: String) -> DecodingError.Context {
    DecodingError.Context(codingPath: codingPath(to: key), debugDescription: message)
  }

  /// Reports a value of the wrong kind; `found` names the kind.
  package func mismatch(_ type: Any.Type, found: String, isNull: Bool = false, _ key: PathKey?) -> DecodingError {
    let context = context(key, "Expected to decode \(type) but found \(found) instead.")
    return isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }

  package func corrupted(_ message: String, _ key: PathKey? = nil) -> DecodingError {
    .dataCorrupted(context(key, message))
  }

  package func missing(_ key: any CodingKey, _ message: String) -> DecodingError {
    .keyNotFound(key, context(nil, message))
  }

  package func missing(_ type: Any.Type, _ message: String, _ key: PathKey? = nil) -> DecodingError {
    .valueNotFound(type, context(key, message))
  }

  package func invalid(_ value: Any, _ message: String, _ key: PathKey? = nil) -> EncodingError {
    .invalidValue(value, .init(codingPath: codingPath(to: key), debugDescription: message))
  }
}
