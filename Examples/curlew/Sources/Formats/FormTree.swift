import CurlewCore
import CurlewJSON

/// The fields of a form, arranged by the brackets in their names.
final class FormTree {
  private let root = FormNode()
  private let depth: Int

  /// - Parameter depth: The deepest nesting of names.
  init(depth: Int) { self.depth = depth }

  /// The value of all fields, which is an object.
  var value: JSONValue { root.value ?? .object(JSONObject()) }

  /// Adds a field.
  ///
  /// - Throws: `FormatError` for a name nested too deep, or with more than 1,024 combining marks in a row.
  func add(_ field: JSONValue, named name: String) throws {
    guard !name.isSlowToCompare else { throw FormatError("a name has more than 1,024 combining marks in a row") }
    let path = Self.path(name)
    guard path.count <= depth else { throw FormatError("a name is nested deeper than \(depth) levels") }
    // If a value without members already has this position, the field keeps its name as written.
    if !root.addMember(field, at: path[...]) { _ = root.addMember(field, at: [name]) }
  }

  /// Returns the path of a name: `a[b][]` becomes `a`, `b` and an empty key.
  ///
  /// Unbalanced brackets are part of the name.
  private static func path(_ name: String) -> [String] {
    guard name.hasSuffix("]"), let open = name.firstIndex(of: "["), open != name.startIndex else { return [name] }
    let inner = name[name.index(after: open)...].dropLast()
    let keys = String(inner).split(separator: "][", omittingEmptySubsequences: false).map(String.init)
    guard keys.allSatisfy({ !$0.contains("[") && !$0.contains("]") }) else { return [name] }
    return [String(name[..<open])] + keys
  }
}

/// One position in the tree: empty, a field, elements or members.
private final class FormNode {
  private var field: JSONValue?
  private var elements: [FormNode] = []
  private var members: [(name: String, node: FormNode)] = []
  /// The position of each member by the bytes of its name.
  ///
  /// Swift considers two spellings of "é" equal.
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

  /// Adds a field at a path; returns false if the position has another kind.
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

  /// Adds a field to the first member of a path, whose name may be empty.
  ///
  /// - Returns: Whether it was added.
  func addMember(_ new: JSONValue, at path: ArraySlice<String>) -> Bool {
    guard let key = path.first, field == nil, elements.isEmpty else { return false }
    if let place = places[Array(key.utf8)] { return members[place].node.add(new, at: path.dropFirst()) }
    let node = FormNode()
    places[Array(key.utf8)] = members.count
    members.append((key, node))
    return node.add(new, at: path.dropFirst())
  }

  /// Adds another value of the same name, which makes an array of both.
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
