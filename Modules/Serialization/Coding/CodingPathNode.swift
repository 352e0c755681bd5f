/// A step of a coding path, turned into a `CodingKey` only when somebody asks.
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

/// An encoder or decoder of one place in a value; the chain of its parents is the coding path.
package protocol CodingPathNode: AnyObject {
  /// The step from the parent; nil where there is none.
  var key: PathKey? { get }
  /// What this one's place is in; nil at the root.
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

  /// The coding path with one more step.
  package func codingPath(to key: PathKey?) -> [any CodingKey] {
    codingPath + (key.map { [$0.codingKey] } ?? [])
  }
}
