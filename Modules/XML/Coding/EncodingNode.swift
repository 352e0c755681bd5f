/// A value that is being encoded: containers share it while their owner fills them.
final class EncodingNode {
  enum Content {
    /// Nothing was encoded: an empty element.
    case nothing
    /// Nil was encoded.
    case null
    case text(String)
    case elements([EncodingNode])
    case members([Member])
  }

  struct Member {
    var key: any CodingKey
    var isAttribute: Bool
    var node: EncodingNode
  }

  var content = Content.nothing

  /// Begins elements unless there are some; what was encoded otherwise is replaced.
  func beginElements() {
    if case .elements = content { return }
    content = .elements([])
  }

  /// Begins members unless there are some; what was encoded otherwise is replaced.
  func beginMembers() {
    if case .members = content { return }
    content = .members([])
  }

  var count: Int { if case .elements(let nodes) = content { nodes.count } else { 0 } }

  func append(_ node: EncodingNode) {
    guard case .elements(var nodes) = content else { return }
    content = .nothing
    nodes.append(node)
    content = .elements(nodes)
  }

  func append(_ member: Member) {
    guard case .members(var members) = content else { return }
    content = .nothing
    members.append(member)
    content = .members(members)
  }
}
