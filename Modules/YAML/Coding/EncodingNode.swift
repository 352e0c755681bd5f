import CurlewSerialization

/// A value that is being encoded, shared with the containers that fill it.
final class EncodingNode {
  enum Content {
    case none
    case value(YAMLValue)
    case sequence([EncodingNode])
    case mapping([(key: String, node: EncodingNode)])
  }

  var content: Content
  private var places = MemberPlaces()

  init(_ content: Content = .none) {
    self.content = content
  }

  struct TooDeep: Error {}

  /// Returns the encoded value; a value without content is an empty mapping.
  ///
  /// It checks the depth of containers that a type nests by hand, because the methods that open them cannot throw.
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

  /// Makes the value a sequence, unless it already is one; other content is replaced.
  func beginSequence() {
    if case .sequence = content { return }
    places = MemberPlaces()
    content = .sequence([])
  }

  /// Makes the value a mapping, unless it already is one; other content is replaced.
  func beginMapping() {
    if case .mapping = content { return }
    places = MemberPlaces()
    content = .mapping([])
  }

  func append(_ node: EncodingNode) {
    guard case .sequence(var nodes) = content else { return }
    content = .none
    nodes.append(node)
    content = .sequence(nodes)
  }

  /// Returns the node of an entry that a type encodes by hand.
  ///
  /// The same key gets the same node.
  func entry(_ key: String) -> EncodingNode {
    if case .mapping(let entries) = content,
      let place = places.place(of: key, among: entries.count, nameAt: { entries[$0].key })
    {
      return entries[place].node
    }
    let node = EncodingNode()
    append(key, node)
    return node
  }

  func append(_ key: String, _ node: EncodingNode) {
    guard case .mapping(var entries) = content else { return }
    content = .none
    entries.append((key, node))
    content = .mapping(entries)
  }
}
