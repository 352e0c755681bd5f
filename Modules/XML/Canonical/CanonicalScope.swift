import CLibxml2

/// The namespaces that the canonical form has declared at the current position.
struct CanonicalScope {
  typealias Name = UnsafePointer<xmlChar>

  /// The namespace of each prefix; the default namespace has an empty prefix.
  private var names: [String: Name] = [:]
  /// The earlier bindings to restore, for all open elements.
  private var changes: [(prefix: String, earlier: Name?)] = []
  /// The number of changes at each open element that declares anything.
  private var marks: [Int] = []

  /// Opens an element and returns the declarations to write, in their order.
  mutating func enter(_ element: xmlNodePtr) -> [xmlNsPtr] {
    guard element.pointee.nsDef != nil else { return [] }
    marks.append(changes.count)
    return declare(element, unless: []).sorted(by: Self.isBefore)
  }

  /// Opens the apex element, which declares every namespace in scope.
  mutating func enter(apex: xmlNodePtr) -> [xmlNsPtr] {
    var found: [xmlNsPtr] = []
    // The innermost declaration of a prefix counts, also one that undeclares the default namespace.
    var seen: Set<String> = []
    var next: xmlNodePtr? = apex
    while let element = next, element.pointee.type == XML_ELEMENT_NODE {
      found += declare(element, unless: seen)
      var declaration = element.pointee.nsDef
      while let namespace = declaration {
        seen.insert(Self.prefix(namespace))
        declaration = namespace.pointee.next
      }
      next = element.pointee.parent
    }
    marks = apex.pointee.nsDef == nil ? [] : [0]
    return found.sorted(by: Self.isBefore)
  }

  /// Closes the innermost element.
  mutating func leave(_ element: xmlNodePtr) {
    guard element.pointee.nsDef != nil, let mark = marks.popLast() else { return }
    while changes.count > mark, let change = changes.popLast() { names[change.prefix] = change.earlier }
  }

  /// Records an element's declarations and returns those that change a binding.
  private mutating func declare(_ element: xmlNodePtr, unless known: Set<String>) -> [xmlNsPtr] {
    var found: [xmlNsPtr] = []
    var next = element.pointee.nsDef
    while let namespace = next {
      next = namespace.pointee.next
      let prefix = Self.prefix(namespace)
      // The prefix `xml` is never written (§2.3), and cannot be bound to another namespace.
      guard prefix != "xml", !known.contains(prefix), let name = namespace.pointee.href else { continue }
      let earlier = names[prefix]
      let isSame = earlier.map { xmlStrEqual($0, name) == 1 } ?? (prefix.isEmpty && name.pointee == 0)
      guard !isSame else { continue }
      names[prefix] = UnsafePointer(name)
      changes.append((prefix, earlier))
      found.append(namespace)
    }
    return found
  }

  private static func prefix(_ namespace: xmlNsPtr) -> String { String(xml: namespace.pointee.prefix) ?? "" }

  /// Orders declarations by prefix, the default namespace first (§2.2).
  private static func isBefore(_ left: xmlNsPtr, _ right: xmlNsPtr) -> Bool {
    xmlStrcmp(left.pointee.prefix, right.pointee.prefix) < 0
  }
}
