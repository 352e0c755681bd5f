import CurlewSerialization

/// A value that is being encoded, shared with the containers that fill it.
final class EncodingNode {
  enum Content {
    case none
    case value(JSONValue)
    case array([EncodingNode])
    case object([(name: String, node: EncodingNode)])
  }

  var content: Content
  private var places = MemberPlaces()

  init(_ content: Content = .none) {
    self.content = content
  }

  struct TooDeep: Error {}

  /// Returns the encoded value; a value without content is an empty object.
  ///
  /// It checks the depth of containers that a type nests by hand, because the methods that open them cannot throw.
  func value(depthLeft: Int = JSONValueEncoder.maximumDepth) throws(TooDeep) -> JSONValue {
    guard depthLeft >= 0 else { throw TooDeep() }
    switch content {
    case .none: return .object(JSONObject())
    case .value(let value): return value
    case .array(let nodes):
      var elements: [JSONValue] = []
      elements.reserveCapacity(nodes.count)
      for node in nodes { elements.append(try node.value(depthLeft: depthLeft - 1)) }
      return .array(elements)
    case .object(let members):
      var object = JSONObject()
      object.reserveCapacity(members.count)
      for (name, node) in members { object[name] = try node.value(depthLeft: depthLeft - 1) }
      return .object(object)
    }
  }

  var count: Int {
    if case .array(let nodes) = content { nodes.count } else { 0 }
  }

  /// Makes the value an array, unless it already is one; other content is replaced.
  func beginArray() {
    if case .array = content { return }
    places = MemberPlaces()
    content = .array([])
  }

  /// Makes the value an object, unless it already is one; other content is replaced.
  func beginObject() {
    if case .object = content { return }
    places = MemberPlaces()
    content = .object([])
  }

  func append(_ node: EncodingNode) {
    guard case .array(var nodes) = content else { return }
    content = .none
    nodes.append(node)
    content = .array(nodes)
  }

  /// Returns the node of a member that a type encodes by hand.
  ///
  /// A type that asks twice for the same name gets the same node, so that both containers fill one value, as with
  /// Foundation's `JSONEncoder`.
  func member(_ name: String) -> EncodingNode {
    if case .object(let members) = content,
      let place = places.place(of: name, among: members.count, nameAt: { members[$0].name })
    {
      return members[place].node
    }
    let node = EncodingNode()
    append(name, node)
    return node
  }

  func append(_ name: String, _ node: EncodingNode) {
    guard case .object(var members) = content else { return }
    content = .none
    members.append((name, node))
    content = .object(members)
  }
}
