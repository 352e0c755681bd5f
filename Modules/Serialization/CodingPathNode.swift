/// A step of a coding path, converted to a `CodingKey` only when needed.
package enum PathKey {
  case key(any CodingKey)
  case index(Int)

  package var codingKey: any CodingKey {
    switch self {
    case .key(let key): key
    case .index(let index): AnyCodingKey(index)
    }
  }
}

/// An encoder or decoder; the chain of its parents is the coding path.
package protocol CodingPathNode: AnyObject {
  /// The step from the parent; nil at the root.
  var key: PathKey? { get }
  /// The parent; nil at the root.
  var parent: Self? { get }
}

extension CodingPathNode {
  package var codingPath: [any CodingKey] {
    var path: [any CodingKey] = []
    var next: Self? = self
    while let node = next {
      if let key = node.key { path.append(key.codingKey) }
      next = node.parent
    }
    return path.reversed()
  }

  /// Returns the coding path with one more step.
  package func codingPath(to key: PathKey?) -> [any CodingKey] {
    codingPath + (key.map { [$0.codingKey] } ?? [])
  }
}

/// Creates errors about the node's value, or about the one that `key` leads to.
extension CodingPathNode {
  private func context(_ key: PathKey?, _ message: String) -> DecodingError.Context {
    DecodingError.Context(codingPath: codingPath(to: key), debugDescription: message)
  }

  /// Reports a value of the wrong kind; `found` names the kind.
  package func mismatch(_ type: Any.Type, found: String, isNull: Bool = false, _ key: PathKey?) -> DecodingError {
    let wanted = type == [String: Any].self ? "an object" : type == [Any].self ? "an array" : "\(type)"
    let context = context(key, "Expected \(wanted), but found \(found).")
    return isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }

  package func corrupted(_ message: String, _ key: PathKey? = nil) -> DecodingError {
    .dataCorrupted(context(key, message))
  }

  package func missing(_ key: any CodingKey, _ message: String) -> DecodingError {
    .keyNotFound(key, context(nil, message))
  }

  /// Returns the first name that differs from a key's only in case and underscores; nil if none of the first hundred does.
  ///
  /// A name of more than 100 bytes is none: the names are a server's.
  package func alike(_ key: any CodingKey, among names: some Sequence<String>) -> String? {
    func plain(_ name: String) -> String { name.lowercased().replacing("_", with: "") }
    let wanted = plain(key.stringValue)
    return names.prefix(100).first { $0.utf8.count <= 100 && plain($0) == wanted }
  }

  package func missing(_ type: Any.Type, _ message: String, _ key: PathKey? = nil) -> DecodingError {
    .valueNotFound(type, context(key, message))
  }

  package func invalid(_ value: Any, _ message: String, _ key: PathKey? = nil) -> EncodingError {
    .invalidValue(value, .init(codingPath: codingPath(to: key), debugDescription: message))
  }
}

/// A coding key with any name, or with the index of an element.
package struct AnyCodingKey: CodingKey {
  package let stringValue: String
  package let intValue: Int?

  package init(_ name: String) {
    stringValue = name
    intValue = nil
  }

  package init(_ index: Int) {
    stringValue = "Index \(index)"
    intValue = index
  }

  package init(stringValue: String) { self.init(stringValue) }

  package init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }

  package static let `super` = AnyCodingKey("super")
}
