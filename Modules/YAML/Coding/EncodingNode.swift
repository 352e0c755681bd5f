/// A value that is being encoded: containers share it while their owner fills them.
final class EncodingNode {
  enum Content {
    case none
    case value(YAMLValue)
    case sequence([EncodingNode])
    case mapping([(key: String, node: EncodingNode)])
  }

  var content: Content

  init(_ content: Content = .none) {
    self.content = content
  }

  struct TooDeep: Error {}

  /// What was encoded; what encoded nothing is an empty mapping.
  ///
  /// Containers that a type nests by hand are counted here, where an error can still be thrown.
  func value(depthLeft: Int = YAMLValueEncoder.maximumDepth) throws(TooDeep) -> YAMLValue {
    guard depthLeft >= 0 else { throw TooDeep() }
    switch content {
    case .none: return .mapping(YAMLMapping())
    case .value(let value): return value
    case .sequence(let nodes):
      var elements: [YAMLValue] = []
      elements.reserveCapacity(nodes.count)
      for node in nodes { elements.append(try node.value(depthLeft: depthLeft - 1)) }
      return .sequence(elements)
    case .mapping(let entries):
      var mapping = YAMLMapping()
      mapping.reserveCapacity(entries.count)
      for (key, node) in entries { mapping[key] = try node.value(depthLeft: depthLeft - 1) }
      return .mapping(mapping)
    }
  }

  var count: Int {
    if case .sequence(let nodes) = content { nodes.count } else { 0 }
  }

  /// Begins a sequence unless there is one; what was encoded otherwise is replaced.
  func beginSequence() {
    if case .sequence = content { return }
    content = .sequence([])
  }

  /// Begins a mapping unless there is one; what was encoded otherwise is replaced.
  func beginMapping() {
    if case .mapping = content { return }
    content = .mapping([])
  }

  func append(_ node: EncodingNode) {
    guard case .sequence(var nodes) = content else { return }
    content = .none
    nodes.append(node)
    content = .sequence(nodes)
  }

  func append(_ key: String, _ node: EncodingNode) {
    guard case .mapping(var entries) = content else { return }
    content = .none
    entries.append((key, node))
    content = .mapping(entries)
  }
}
