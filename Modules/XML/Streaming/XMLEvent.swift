/// One step of reading a document from its beginning to its end.
public enum XMLEvent: Sendable, Hashable {
  /// An element begins; attributes in document order, defaulted ones included, then what it declares of namespaces.
  case startElement(XMLName, attributes: [XMLAttribute], declarations: [XMLNamespaceDeclaration])
  /// An element ends.
  case endElement(XMLName)
  /// Text, of CDATA sections and of entities too; a long one comes in pieces of about 64 KiB.
  case text(String)
  /// A comment, without what delimits it.
  case comment(String)
  /// A processing instruction.
  case processingInstruction(target: String, data: String)
}
