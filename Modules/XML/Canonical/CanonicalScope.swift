import CLibxml2

/// Which namespaces the canonical form has declared where it is being written.
struct CanonicalScope {
  typealias Name = UnsafePointer<xmlChar>

  /// What each prefix stands for; that of the default namespace is empty.
  private var names: [String: Name] = [:]
  /// What to put back, for all elements that are open.
  private var changes: [(prefix: String, earlier: Name?)] = []
  /// How many changes there were at each open element that declares anything.
  private var marks: [Int] = []

  /// Opens an element, and tells which of its declarations are not superfluous, in the order they are written in.
  mutating func enter(_ element: xmlNodePtr) -> [xmlNsPtr] {
    guard element.pointee.nsDef != nil else { return [] }
    marks.append(changes.count)
    return declare(element, unless: []).sorted(by: Self.isBefore)
  }

  /// Opens the apex, which declares all that is in scope.
  mutating func enter(apex: xmlNodePtr) -> [xmlNsPtr] {
    var found: [xmlNsPtr] = []
    // The innermost declaration of a prefix decides, one that takes the default namespace back too.
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

  /// Takes an element's declarations over, and tells which say something new.
  private mutating func declare(_ element: xmlNodePtr, unless known: Set<String>) -> [xmlNsPtr] {
    var found: [xmlNsPtr] = []
    var next = element.pointee.nsDef
    while let namespace = next {
      next = namespace.pointee.next
      let prefix = Self.prefix(namespace)
      // Never written (§2.3), and never declared as anything else.
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

  /// By prefix, the default namespace first (§2.2).
  private static func isBefore(_ left: xmlNsPtr, _ right: xmlNsPtr) -> Bool {
    xmlStrcmp(left.pointee.prefix, right.pointee.prefix) < 0
  }
}
