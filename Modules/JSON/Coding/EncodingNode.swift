/// A value that is being encoded: containers share it while their owner fills them.
final class EncodingNode {
  enum Content {
    case none
    case value(JSONValue)
    case array([EncodingNode])
    case object([(name: String, node: EncodingNode)])
  }

  var content: Content

  init(_ content: Content = .none) {
    self.content = content
  }

  struct TooDeep: Error {}

  /// What was encoded; a container that nothing was put into is an empty object, as is what encoded nothing.
  ///
  /// Containers that a type nests by hand are counted here, where an error can still be thrown.
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

  /// Begins an array unless there is one; what was encoded otherwise is replaced.
  func beginArray() {
    if case .array = content { return }
    content = .array([])
  }

  /// Begins an object unless there is one; what was encoded otherwise is replaced.
  func beginObject() {
    if case .object = content { return }
    content = .object([])
  }

  func append(_ node: EncodingNode) {
    guard case .array(var nodes) = content else { return }
    content = .none
    nodes.append(node)
    content = .array(nodes)
  }

  func append(_ name: String, _ node: EncodingNode) {
    guard case .object(var members) = content else { return }
    content = .none
    members.append((name, node))
    content = .object(members)
  }
}
