extension JSONValue {
  /// Returns the value without `null` members and, by default, `null` elements.
  ///
  /// All levels are included: `{"a":null,"b":[null,{"c":null}]}` becomes `{"b":[{}]}`, and with `fromArrays: false`
  /// `{"b":[null,{}]}`. Containers that become empty stay, and so does a `null` that is the whole value. Stack use does
  /// not grow with the depth.
  public func removingNulls(fromArrays: Bool = true) -> JSONValue {
    var open: [NullRemoval] = []
    var current = NullRemoval(self)
    while true {
      if let child = current.next() {
        switch child {
        case .null where fromArrays || current.isObject: break
        case .array, .object:
          open.append(current)
          current = NullRemoval(child)
        default: current.keep(child)
        }
      } else {
        let value = current.value
        guard let outer = open.popLast() else { return value }
        current = outer
        current.keep(value)
      }
    }
  }
}

/// One container during the walk: what remains to be visited and what is kept.
private struct NullRemoval {
  private let source: JSONValue
  private var position = 0
  private var elements: [JSONValue] = []
  private var members = JSONObject()

  init(_ source: JSONValue) {
    self.source = source
    if case .object(let object) = source { members.index.hasRepeatedNames = object.index.hasRepeatedNames }
  }

  var isObject: Bool {
    if case .object = source { true } else { false }
  }

  /// The kept part; a scalar is kept unchanged.
  var value: JSONValue {
    switch source {
    case .array: .array(elements)
    case .object: .object(members)
    default: source
    }
  }

  mutating func next() -> JSONValue? {
    defer { position += 1 }
    switch source {
    case .array(let source) where position < source.count: return source[position]
    case .object(let source) where position < source.count: return source.members[position].value
    default: return nil
    }
  }

  /// Keeps the child that ``next()`` returned last.
  mutating func keep(_ child: JSONValue) {
    switch source {
    case .object(let source):
      let member = source.members[position - 1]
      members.append(member.name, child, hash: member.hash)
    default: elements.append(child)
    }
  }
}
