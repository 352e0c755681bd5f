/// Which prefixes stand for what while a document is written, and what has to be declared where.
struct NamespaceScope {
  /// How the names of one element are written, and what it declares.
  struct Names {
    var element: String
    var attributes: [String]
    var declarations: [XMLNamespaceDeclaration]
  }

  /// All bindings in force, the innermost last; an empty prefix is the default namespace.
  private var bindings: [(prefix: String, uri: String)] = []
  /// How many bindings there were at each element that is open.
  private var marks: [Int] = []

  /// Opens an element.
  mutating func enter(_ draft: XMLDraft) throws(XMLWritingError) -> Names {
    marks.append(bindings.count)
    let mark = bindings.count
    for declaration in draft.declarations {
      try declare(declaration.prefix ?? "", declaration.namespace, for: draft.name.localName, from: mark)
    }
    let element = try write(draft.name, isAttribute: false, from: mark)
    var attributes: [String] = []
    var seen = Set<XMLName>()
    for attribute in draft.attributes {
      guard seen.insert(attribute.name).inserted else {
        throw XMLWritingError(kind: .duplicateAttribute, name: attribute.name.localName)
      }
      attributes.append(try write(attribute.name, isAttribute: true, from: mark))
    }
    let declarations = bindings[mark...].map {
      XMLNamespaceDeclaration(prefix: $0.prefix.isEmpty ? nil : $0.prefix, namespace: $0.uri)
    }
    return Names(element: element, attributes: attributes, declarations: declarations)
  }

  /// Closes the innermost element.
  mutating func leave() {
    guard let mark = marks.popLast() else { return }
    bindings.removeLast(bindings.count - mark)
  }

  private mutating func write(_ name: XMLName, isAttribute: Bool, from mark: Int) throws(XMLWritingError) -> String {
    guard XMLCharacters.isName(name.localName), name.prefix.map(XMLCharacters.isName) ?? true,
      !(isAttribute && name.namespace == nil && name.localName == "xmlns")
    else {
      throw XMLWritingError(kind: .invalidName, name: name.qualifiedName)
    }
    guard let uri = name.namespace, !uri.isEmpty else {
      // Without a namespace there is no prefix, and the default one must not be in force.
      if !isAttribute, uri(of: "") != "" { try declare("", "", for: name.localName, from: mark) }
      return name.localName
    }
    if uri == XMLName.xmlNamespace { return "xml:" + name.localName }
    let prefix = try self.prefix(for: uri, wanted: name.prefix ?? "", isAttribute: isAttribute, name, from: mark)
    return prefix.isEmpty ? name.localName : prefix + ":" + name.localName
  }

  /// A prefix for a namespace: the wanted one, one that is there, or a new one.
  private mutating func prefix(
    for uri: String, wanted: String, isAttribute: Bool, _ name: XMLName, from mark: Int
  ) throws(XMLWritingError) -> String {
    let isUsable = !(isAttribute && wanted.isEmpty)
    if isUsable, self.uri(of: wanted) == uri { return wanted }
    // Attributes that say nothing of a prefix take any that is there.
    if isAttribute, wanted.isEmpty, let known = bindings.last(where: { !$0.prefix.isEmpty && $0.uri == uri }),
      self.uri(of: known.prefix) == uri
    {
      return known.prefix
    }
    var prefix = wanted
    if !isUsable || bindings[mark...].contains(where: { $0.prefix == wanted }) {
      var number = 1
      while bindings.contains(where: { $0.prefix == "ns\(number)" }) { number += 1 }
      prefix = "ns\(number)"
    }
    try declare(prefix, uri, for: name.localName, from: mark)
    return prefix
  }

  private func uri(of prefix: String) -> String {
    bindings.last { $0.prefix == prefix }?.uri ?? ""
  }

  private mutating func declare(
    _ prefix: String, _ uri: String, for name: String, from mark: Int
  ) throws(XMLWritingError) {
    if prefix == "xml", uri == XMLName.xmlNamespace { return }
    let isReserved =
      prefix == "xml" || prefix == "xmlns" || uri == XMLName.xmlNamespace
      || uri == "http://www.w3.org/2000/xmlns/"
    guard !isReserved, prefix.isEmpty || (XMLCharacters.isName(prefix) && !uri.isEmpty) else {
      throw XMLWritingError(kind: .invalidNamespace, name: name)
    }
    if let index = bindings[mark...].firstIndex(where: { $0.prefix == prefix }) {
      guard bindings[index].uri == uri else { throw XMLWritingError(kind: .invalidNamespace, name: name) }
      return
    }
    bindings.append((prefix, uri))
  }
}
