import CLibxml2
import CurlewSerialization

/// The namespace prefixes in scope while a document is written.
///
/// It decides what each element must declare. Prefixes and namespace names are compared by their bytes, as readers do.
struct NamespaceScope {
  /// The qualified names of one element, and its declarations.
  struct Names {
    var element: String
    var attributes: [String]
    var declarations: [XMLNamespaceDeclaration]
  }

  /// One open element: its declarations, and the prefixes that its names use.
  private struct Level {
    var declarations: [XMLNamespaceDeclaration] = []
    var declared: Set<ExactString> = []
    /// Prefixes that cannot be rebound, because names already written use them.
    var used: Set<ExactString> = []
    /// The number of the last generated prefix outside the element.
    var outerNumber = 0
  }

  /// The namespaces bound to each prefix, innermost last.
  ///
  /// An empty prefix is the default namespace.
  private var bindings: [ExactString: [String]] = [:]
  /// The prefixes bound to each namespace, innermost last.
  ///
  /// Inner elements may rebind them.
  private var prefixes: [ExactString: [String]] = [:]
  private var levels: [Level] = []
  private var number = 0

  /// Opens an element.
  ///
  /// - Throws: ``XMLWritingError`` for an invalid name, a reserved or contradictory declaration, and a duplicate
  ///   attribute.
  mutating func enter(_ draft: XMLElementBuilder) throws(XMLWritingError) -> Names {
    var level = Level()
    level.outerNumber = number
    levels.append(level)
    for declaration in draft.declarations {
      try declare(declaration.prefix ?? "", declaration.namespace, for: draft.name)
    }
    let element = try write(draft.name, isAttribute: false)
    var attributes: [String] = []
    attributes.reserveCapacity(draft.attributes.count)
    var seen = Set<XMLName>()
    for attribute in draft.attributes {
      guard seen.insert(attribute.name).inserted else {
        throw XMLWritingError(kind: .duplicateAttribute, name: attribute.name.localName)
      }
      attributes.append(try write(attribute.name, isAttribute: true))
    }
    return Names(
      element: element, attributes: attributes, declarations: levels.last?.declarations ?? [])
  }

  /// Closes the innermost element.
  mutating func leave() {
    guard let level = levels.popLast() else { return }
    number = level.outerNumber
    for declaration in level.declarations {
      let prefix = ExactString(declaration.prefix ?? "")
      bindings[prefix]?.removeLast()
      if bindings[prefix]?.isEmpty == true { bindings[prefix] = nil }
      let uri = ExactString(declaration.namespace)
      prefixes[uri]?.removeLast()
      if prefixes[uri]?.isEmpty == true { prefixes[uri] = nil }
    }
  }

  private mutating func write(_ name: XMLName, isAttribute: Bool) throws(XMLWritingError) -> String {
    guard XMLCharacters.isName(name.localName), name.prefix.map(XMLCharacters.isName) ?? true,
      !(isAttribute && name.namespace == nil && name.localName == "xmlns")
    else {
      throw XMLWritingError(kind: .invalidName, name: name.qualifiedName)
    }
    guard let uri = name.namespace, !uri.isEmpty else {
      // An element in no namespace has no prefix, so no default namespace may be in scope.
      if !isAttribute, self.uri(of: "") != "" { try declare("", "", for: name) }
      return name.localName
    }
    if uri == XMLName.xmlNamespace { return "xml:" + name.localName }
    let prefix = try self.prefix(for: uri, of: name, isAttribute: isAttribute)
    markUsed(prefix)
    return prefix.isEmpty ? name.localName : prefix + ":" + name.localName
  }

  /// Returns a prefix for a namespace: the wanted one, a bound one, or a new one.
  private mutating func prefix(
    for uri: String, of name: XMLName, isAttribute: Bool
  ) throws(XMLWritingError) -> String {
    let wanted = name.prefix ?? ""
    // The default namespace does not apply to attributes.
    let isUsable = !(isAttribute && wanted.isEmpty)
    if isUsable, isBound(wanted, to: uri) { return wanted }
    if isUsable, isFree(wanted) {
      try declare(wanted, uri, for: name)
      return wanted
    }
    if let known = prefixes[ExactString(uri)]?.last(where: { !$0.isEmpty && isBound($0, to: uri) }) { return known }
    repeat { number += 1 } while bindings[ExactString("ns\(number)")] != nil
    try declare("ns\(number)", uri, for: name)
    return "ns\(number)"
  }

  /// Whether the innermost element can still bind a prefix.
  private func isFree(_ prefix: String) -> Bool {
    guard let level = levels.last else { return false }
    return !level.declared.contains(ExactString(prefix)) && !level.used.contains(ExactString(prefix))
  }

  private mutating func markUsed(_ prefix: String) {
    guard !levels.isEmpty else { return }
    levels[levels.count - 1].used.insert(ExactString(prefix))
  }

  private func isBound(_ prefix: String, to uri: String) -> Bool {
    ExactString.areEqual(self.uri(of: prefix), uri)
  }

  private func uri(of prefix: String) -> String { bindings[ExactString(prefix)]?.last ?? "" }

  private mutating func declare(_ prefix: String, _ uri: String, for name: XMLName) throws(XMLWritingError) {
    if prefix == "xml", uri == XMLName.xmlNamespace { return }
    guard prefix.isEmpty || (XMLCharacters.isName(prefix) && !uri.isEmpty), NamespaceCheck.fault(prefix, uri) == nil
    else {
      throw XMLWritingError(kind: .invalidNamespace, name: name.localName)
    }
    guard let last = levels.indices.last else { return }
    guard levels[last].declared.insert(ExactString(prefix)).inserted else {
      guard isBound(prefix, to: uri) else {
        throw XMLWritingError(kind: .invalidNamespace, name: name.localName)
      }
      return
    }
    levels[last].declarations.append(
      XMLNamespaceDeclaration(prefix: prefix.isEmpty ? nil : prefix, namespace: uri))
    bindings[ExactString(prefix), default: []].append(uri)
    prefixes[ExactString(uri), default: []].append(prefix)
  }
}

/// Rules for namespace declarations.
///
/// libxml2 checks the declarations in a document's text, but neither those from attribute defaults (Namespaces in XML
/// 1.0 §3) nor those that are being written.
enum NamespaceCheck {
  /// Returns the fault of a declaration that is to be written; nil if it is valid.
  ///
  /// An empty prefix is the default namespace.
  static func fault(_ prefix: String, _ uri: String) -> String? {
    guard !uri.utf8.contains(0) else { return "the namespace name contains a NUL" }
    return prefix.withCString(encodedAs: UTF8.self) { prefix in
      uri.withCString(encodedAs: UTF8.self) { fault(prefix: prefix.pointee == 0 ? nil : prefix, name: $0) }
    }
  }

  /// Returns the fault of a declaration; nil if it is valid.
  static func fault(prefix: UnsafePointer<xmlChar>?, name: UnsafePointer<xmlChar>?) -> String? {
    let prefix = String(xml: prefix)
    guard let name, name.pointee != 0 else {
      return prefix.map { "the prefix \($0) is bound to an empty namespace name" }
    }
    let isXML = xmlStrEqual(name, XMLName.xmlNamespace) == 1
    if prefix == "xmlns" || isXML != (prefix == "xml") || xmlStrEqual(name, "http://www.w3.org/2000/xmlns/") == 1 {
      return "the prefixes xml and xmlns and their namespaces are reserved and cannot be declared otherwise"
    }
    let uri = UnsafeRawPointer(name).withMemoryRebound(to: CChar.self, capacity: 1) { xmlParseURI($0) }
    guard let uri else { return "a namespace name must be a URI" }
    xmlFreeURI(uri)
    return nil
  }
}
