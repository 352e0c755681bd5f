import CurlewJSON

/// The fields of a form, put where the brackets of their names say.
final class FormTree {
  private let root = FormNode()
  private let depth: Int

  /// - Parameter depth: How deep names may be nested.
  init(depth: Int) { self.depth = depth }

  /// What the fields make, always an object.
  var value: JSONValue { root.value ?? .object(JSONObject()) }

  /// Adds a field.
  ///
  /// - Throws: `FormatError` for a name nested too deep.
  func add(_ field: JSONValue, named name: String) throws {
    let path = Self.path(name)
    guard path.count <= depth else { throw FormatError("a name is nested deeper than \(depth) levels") }
    // When a value without members stands there already, the field keeps the name as it is written.
    if !root.addMember(field, at: path[...]) { _ = root.addMember(field, at: [name]) }
  }

  /// `a[b][]` is `a`, `b` and nothing; brackets that do not match are part of a name.
  private static func path(_ name: String) -> [String] {
    guard name.hasSuffix("]"), let open = name.firstIndex(of: "["), open != name.startIndex else { return [name] }
    let inner = name[name.index(after: open)...].dropLast()
    let keys = String(inner).split(separator: "][", omittingEmptySubsequences: false).map(String.init)
    guard keys.allSatisfy({ !$0.contains("[") && !$0.contains("]") }) else { return [name] }
    return [String(name[..<open])] + keys
  }
}

/// One place in the tree: nothing yet, a field, elements or members.
private final class FormNode {
  private var field: JSONValue?
  private var elements: [FormNode] = []
  private var members: [(name: String, node: FormNode)] = []
  /// The place of each name among the members, by its bytes: Swift takes "é" in two spellings for one string.
  private var places: [[UInt8]: Int] = [:]

  init(_ field: JSONValue? = nil) { self.field = field }

  var value: JSONValue? {
    if let field { return field }
    if !elements.isEmpty { return .array(elements.compactMap(\.value)) }
    if members.isEmpty { return nil }
    var object = JSONObject()
    for member in members { object[member.name] = member.node.value }
    return .object(object)
  }

  /// Whether the field could be added; what stands here already may not hold others of its kind.
  func add(_ new: JSONValue, at path: ArraySlice<String>) -> Bool {
    guard let key = path.first else {
      addBeside(new)
      return true
    }
    guard field == nil else { return false }
    if key.isEmpty, members.isEmpty {
      let node = FormNode()
      elements.append(node)
      return node.add(new, at: path.dropFirst())
    }
    return addMember(new, at: path)
  }

  /// Adds a field to the member that the path begins with, which may have an empty name.
  ///
  /// - Returns: Whether it could be added.
  func addMember(_ new: JSONValue, at path: ArraySlice<String>) -> Bool {
    guard let key = path.first, field == nil, elements.isEmpty else { return false }
    if let place = places[Array(key.utf8)] { return members[place].node.add(new, at: path.dropFirst()) }
    let node = FormNode()
    places[Array(key.utf8)] = members.count
    members.append((key, node))
    return node.add(new, at: path.dropFirst())
  }

  /// Another value of the same name makes an array of both.
  private func addBeside(_ new: JSONValue) {
    if !elements.isEmpty {
      elements.append(FormNode(new))
    } else if let field {
      elements = [FormNode(field), FormNode(new)]
      self.field = nil
    } else if !members.isEmpty {
      let node = FormNode()
      swap(&node.members, &members)
      swap(&node.places, &places)
      elements = [node, FormNode(new)]
    } else {
      field = new
    }
  }
}
