import CurlewSerialization

/// A value that is being encoded, shared with the containers that fill it.
final class EncodingNode {
  enum Content {
    /// Nothing was encoded; the result is an empty element.
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
  private var places = MemberPlaces()

  /// Makes the value a list of elements, unless it already is one.
  ///
  /// Other content is replaced.
  func beginElements() {
    if case .elements = content { return }
    places = MemberPlaces()
    content = .elements([])
  }

  /// Makes the value a list of members, unless it already is one.
  ///
  /// Other content is replaced.
  func beginMembers() {
    if case .members = content { return }
    places = MemberPlaces()
    content = .members([])
  }

  var count: Int { if case .elements(let nodes) = content { nodes.count } else { 0 } }

  func append(_ node: EncodingNode) {
    guard case .elements(var nodes) = content else { return }
    content = .nothing
    nodes.append(node)
    content = .elements(nodes)
  }

  /// Adds a member, which replaces an earlier one of the same key.
  func put(_ member: Member) {
    guard case .members(var members) = content else { return }
    let place = place(of: member.key, in: members)
    content = .nothing
    if let place { members[place] = member } else { members.append(member) }
    content = .members(members)
  }

  /// Returns the node of the member with a key; nil if there is no such member.
  func member(_ key: any CodingKey) -> EncodingNode? {
    guard case .members(let members) = content, let place = place(of: key, in: members) else { return nil }
    return members[place].node
  }

  private func place(of key: any CodingKey, in members: [Member]) -> Int? {
    places.place(of: key.stringValue, among: members.count) { members[$0].key.stringValue }
  }
}
