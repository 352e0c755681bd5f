import CurlewCore
import CurlewJSON
import CurlewXML
import FoundationEssentials

/// XML 1.0 with namespaces.
///
/// An element becomes `{"name":…,"namespace":…,"attributes":{…},"children":[…]}`: its local name, its namespace or null, and
/// as children its text and elements in order. Comments and processing instructions are omitted. An attribute with a namespace
/// is named `{namespace}local`.
struct XMLDocuments: Format {
  let name = "xml"
  let mediaTypes = [MediaType.xml, .textXML]

  var depths: ClosedRange<Int> { 1...XMLParsingOptions.greatestDepth }

  func recognizes(_ prefix: Data) -> Bool {
    prefix.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "<")
  }

  func lines(of document: Data, head: ResponseHead?, _ options: DecodingOptions) throws -> [DecodedLine] {
    var parsing = XMLParsingOptions()
    parsing.maximumDepth = options.depth
    parsing.maximumBytes = options.bytes
    let document = try XMLDocument(parsing: document, charset: head?.charset, options: parsing)
    guard let path = options.xml.path else { return [try line(of: document, options.xml)] }
    var namespaces: [String: String] = [:]
    for declaration in document.root.namespaceDeclarations {
      if let prefix = declaration.prefix { namespaces[prefix] = declaration.namespace }
    }
    namespaces.merge(options.xml.namespaces) { _, given in given }
    switch try document.evaluate(XPath(path, namespaces: namespaces)) {
    case .nodes(let nodes): return try nodes.map { try line(of: $0, in: document, options.xml) }
    case .number(let number):
      return [DecodedLine((JSONNumber(number).map(JSONValue.number) ?? .string(number.description)).text())]
    case .string(let string): return [DecodedLine(JSONValue.string(string).text())]
    case .boolean(let value): return [DecodedLine(JSONValue.bool(value).text())]
    }
  }

  func encode(_ documents: [JSONValue]) throws -> Data { try Self.draft(documents.only).data() + [0x0A] }

  // MARK: Reading

  private func line(of document: XMLDocument, _ request: XMLRequest) throws -> DecodedLine {
    guard request.isCanonical else { return Self.line(of: document.root) }
    return DecodedLine(String(decoding: try document.canonical(keepsComments: request.keepsComments), as: UTF8.self))
  }

  private func line(of node: XPathNode, in document: XMLDocument, _ request: XMLRequest) throws -> DecodedLine {
    switch node {
    case .document: return try line(of: document, request)
    case .node(.element(let element)):
      guard request.isCanonical else { return Self.line(of: element) }
      return DecodedLine(String(decoding: try element.canonical(keepsComments: request.keepsComments), as: UTF8.self))
    case .node(.text(let text)), .node(.comment(let text)), .node(.processingInstruction(_, let text)):
      return DecodedLine(JSONValue.string(text).text())
    case .attribute(let attribute): return DecodedLine(JSONValue.string(attribute.value).text())
    case .namespace(let declaration): return DecodedLine(JSONValue.string(declaration.namespace).text())
    }
  }

  private static func line(of element: XMLElement) -> DecodedLine {
    DecodedLine { try write(element, to: &$0) }
  }

  /// Writes an element recursively; the parser has limited the depth.
  private static func write(_ element: XMLElement, to writer: inout LineWriter) throws {
    try writer.put("{\"name\":")
    try writer.putString(element.localName)
    try writer.put(",\"namespace\":")
    if let namespace = element.namespace { try writer.putString(namespace) } else { try writer.put("null") }
    try writer.put(",\"attributes\":{")
    var isFirst = true
    for attribute in element.attributes {
      if !isFirst { try writer.put(",") }
      isFirst = false
      try writer.putString(attribute.name.description)
      try writer.put(":")
      try writer.putString(attribute.value)
    }
    try writer.put("},\"children\":[")
    isFirst = true
    var text = ""
    for child in element.children {
      switch child {
      case .element(let element):
        try write(text: &text, &isFirst, to: &writer)
        if !isFirst { try writer.put(",") }
        isFirst = false
        try write(element, to: &writer)
      // Nodes between two texts are omitted, so the texts are merged.
      case .text(let more): text += more
      case .comment, .processingInstruction: break
      }
    }
    try write(text: &text, &isFirst, to: &writer)
    try writer.put("]}")
  }

  private static func write(text: inout String, _ isFirst: inout Bool, to writer: inout LineWriter) throws {
    guard !text.isEmpty else { return }
    if !isFirst { try writer.put(",") }
    isFirst = false
    try writer.putString(text)
    text = ""
  }

  // MARK: Writing

  /// Converts a value, whose depth the JSON parser has limited.
  private static func draft(_ value: JSONValue) throws -> XMLElementBuilder {
    guard case .object(let object) = value, case .string(let name)? = object["name"] else {
      throw FormatError("expected an element as an object with a name that is a string")
    }
    var draft = XMLElementBuilder(XMLName(name, namespace: try optionalText(object["namespace"], "namespace")))
    for attribute in try members(object["attributes"]) {
      guard let text = scalar(attribute.value) else {
        throw FormatError("the value of an attribute has to be a string, a number or a boolean")
      }
      draft.attributes.append(XMLAttribute(try Self.name(attribute.name), text))
    }
    for child in try elements(object["children"]) {
      if let text = scalar(child) {
        draft.append(text: text)
      } else {
        draft.append(try self.draft(child))
      }
    }
    return draft
  }

  private static func optionalText(_ value: JSONValue?, _ name: String) throws -> String? {
    switch value {
    case nil, .null?: return nil
    case .string(let text)?: return text.isEmpty ? nil : text
    default: throw FormatError("the \(name) of an element has to be a string or null")
    }
  }

  private static func members(_ value: JSONValue?) throws -> [(name: String, value: JSONValue)] {
    switch value {
    case nil, .null?: return []
    case .object(let object)?: return object.map { ($0.name, $0.value) }
    default: throw FormatError("the attributes of an element have to be an object")
    }
  }

  private static func elements(_ value: JSONValue?) throws -> [JSONValue] {
    switch value {
    case nil, .null?: return []
    case .array(let elements)?: return elements
    default: throw FormatError("the children of an element have to be an array")
    }
  }

  private static func scalar(_ value: JSONValue) -> String? {
    switch value {
    case .string(let text): text
    case .number(let number): number.text
    case .bool(let value): value ? "true" : "false"
    default: nil
    }
  }

  /// Reads a name in the form `{namespace}local`, `xml:local` or `local`.
  private static func name(_ text: String) throws -> XMLName {
    if text.hasPrefix("{"), let end = text.lastIndex(of: "}") {
      let namespace = String(text[text.index(after: text.startIndex)..<end])
      return XMLName(String(text[text.index(after: end)...]), namespace: namespace)
    }
    if text.hasPrefix("xml:") { return XMLName(String(text.dropFirst(4)), namespace: XMLName.xmlNamespace) }
    return XMLName(text)
  }
}
