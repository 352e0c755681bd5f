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
