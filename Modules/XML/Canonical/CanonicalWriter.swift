import CLibxml2

/// Writes a document, or an element with its content, in Canonical XML 1.0.
///
/// libxml2's own writer does not escape `&` in namespace names. Nothing here recurses, because the tree knows each
/// node's parent.
struct CanonicalWriter {
  private(set) var bytes: [UInt8] = []
  private let keepsComments: Bool
  private var scope = CanonicalScope()
  private var attributes: [xmlAttrPtr] = []

  init(keepsComments: Bool) {
    self.keepsComments = keepsComments
  }

  /// Writes a document; line feeds separate the nodes around its element (§2.3).
  mutating func write(_ tree: Tree) {
    var isBehind = false
    var next = tree.document.pointee.children
    while let node = next {
      next = node.pointee.next
      switch node.pointee.type {
      case XML_ELEMENT_NODE:
        write(apex: node)
        isBehind = true
      case XML_PI_NODE, XML_COMMENT_NODE:
        guard node.pointee.type == XML_PI_NODE || keepsComments else { continue }
        if isBehind { put("\n") }
        open(node)
        if !isBehind { put("\n") }
      default: break
      }
    }
  }

  /// Writes an element and its content.
  mutating func write(apex: xmlNodePtr) {
    begin(apex, isApex: true)
    var node = apex
    while true {
      if let child = Self.firstChild(of: node) {
        node = child
        open(node)
        continue
      }
      if node.pointee.type == XML_ELEMENT_NODE { end(node) }
      while node != apex, node.pointee.next == nil, let parent = node.pointee.parent {
        node = parent
        end(node)
      }
      guard node != apex, let next = node.pointee.next else { return }
      node = next
      open(node)
    }
  }

  private static func firstChild(of node: xmlNodePtr) -> xmlNodePtr? {
    node.pointee.type == XML_ELEMENT_NODE ? node.pointee.children : nil
  }

  private mutating func open(_ node: xmlNodePtr) {
    switch node.pointee.type {
    case XML_ELEMENT_NODE: begin(node, isApex: false)
    case XML_TEXT_NODE, XML_CDATA_SECTION_NODE: put(node.pointee.content, .text)
    case XML_COMMENT_NODE:
      guard keepsComments else { return }
      put("<!--")
      put(node.pointee.content, .markup)
      put("-->")
    case XML_PI_NODE:
      put("<?")
      put(node.pointee.name, .name)
      if let data = node.pointee.content, data.pointee != 0 {
        put(" ")
        put(data, .markup)
      }
      put("?>")
    // The parser has replaced all references.
    default: break
    }
  }

  // MARK: Elements

  private mutating func begin(_ element: xmlNodePtr, isApex: Bool) {
    put("<")
    name(element.pointee.name, element.pointee.ns)
    for namespace in isApex ? scope.enter(apex: element) : scope.enter(element) {
      put(" xmlns")
      if let prefix = namespace.pointee.prefix {
        put(":")
        put(prefix, .name)
      }
      put("=\"")
      put(namespace.pointee.href, .value)
      put("\"")
    }
    collectAttributes(of: element, isApex: isApex)
    for attribute in attributes {
      put(" ")
      name(attribute.pointee.name, attribute.pointee.ns)
      put("=\"")
      var part = attribute.pointee.children
      while let text = part {
        put(text.pointee.content, .value)
        part = text.pointee.next
      }
      put("\"")
    }
    put(">")
  }

  private mutating func end(_ element: xmlNodePtr) {
    put("</")
    name(element.pointee.name, element.pointee.ns)
    put(">")
    scope.leave(element)
  }

  private mutating func name(_ name: UnsafePointer<xmlChar>?, _ namespace: xmlNsPtr?) {
    if let prefix = namespace?.pointee.prefix {
      put(prefix, .name)
      put(":")
    }
    put(name, .name)
  }

  /// Collects the attributes of an element in the order of writing (§2.2).
  private mutating func collectAttributes(of element: xmlNodePtr, isApex: Bool) {
    attributes.removeAll(keepingCapacity: true)
    var next = element.pointee.properties
    while let attribute = next {
      attributes.append(attribute)
      next = attribute.pointee.next
    }
    if isApex { inheritAttributes(from: element.pointee.parent) }
    if attributes.count > 1 { attributes.sort(by: Self.isBefore) }
  }

  /// Adds `xml:` attributes that only ancestors of the apex have (§2.4).
  ///
  /// The nearest ancestor wins.
  private mutating func inheritAttributes(from parent: xmlNodePtr?) {
    var seen = Set(attributes.compactMap(Self.xmlName))
    var next = parent
    while let element = next, element.pointee.type == XML_ELEMENT_NODE {
      var property = element.pointee.properties
      while let attribute = property {
        if let name = Self.xmlName(attribute), seen.insert(name).inserted { attributes.append(attribute) }
        property = attribute.pointee.next
      }
      next = element.pointee.parent
    }
  }

  /// Returns the local name of an attribute in the `xml` namespace; nil for others.
  private static func xmlName(_ attribute: xmlAttrPtr) -> String? {
    guard let namespace = attribute.pointee.ns, xmlStrEqual(namespace.pointee.href, XMLName.xmlNamespace) == 1 else {
      return nil
    }
    return String(xml: attribute.pointee.name)
  }

  /// Orders attributes by namespace name, then by local name.
  ///
  /// No namespace comes first. UTF-8 bytes order names by code point.
  private static func isBefore(_ left: xmlAttrPtr, _ right: xmlAttrPtr) -> Bool {
    let (first, second) = (left.pointee.ns?.pointee.href, right.pointee.ns?.pointee.href)
    let order = first == second ? 0 : xmlStrcmp(first, second)
    return order == 0 ? xmlStrcmp(left.pointee.name, right.pointee.name) < 0 : order < 0
  }

  // MARK: Text

  /// The kind of node a text belongs to, which decides what is escaped.
  private enum Place {
    case name, text, value, markup
  }

  private mutating func put(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  private mutating func put(_ text: UnsafePointer<xmlChar>?, _ place: Place) {
    guard var start = text else { return }
    var next = start
    while next.pointee != 0 {
      // All characters that are ever escaped precede the letters.
      if next.pointee <= UInt8(ascii: ">"), let reference = Self.reference(next.pointee, place) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: next - start))
        put(reference)
        start = next + 1
      }
      next += 1
    }
    bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: next - start))
  }

  private static func reference(_ byte: UInt8, _ place: Place) -> StaticString? {
    switch (byte, place) {
    case (_, .name): nil
    // In comments and instructions a carriage return can only come from an entity. The specification writes it
    // unchanged; every implementation escapes it, so that it does not read back as a line feed.
    case (0x0D, _): "&#xD;"
    case (_, .markup): nil
    case (UInt8(ascii: "&"), _): "&amp;"
    case (UInt8(ascii: "<"), _): "&lt;"
    case (UInt8(ascii: ">"), .text): "&gt;"
    case (UInt8(ascii: "\""), .value): "&quot;"
    case (0x09, .value): "&#x9;"
    case (0x0A, .value): "&#xA;"
    default: nil
    }
  }
}
