/// A part of a document, in parsing order.
public enum XMLEvent: Sendable, Hashable {
  /// The start of an element.
  ///
  /// It has the attributes in document order, including defaults, and the namespace declarations.
  case startElement(XMLName, attributes: [XMLAttribute], declarations: [XMLNamespaceDeclaration])
  /// The end of an element.
  case endElement(XMLName)
  /// Text, including that of CDATA sections and entities.
  ///
  /// A long text is split into events of about 64 KiB.
  case text(String)
  /// A comment, without its delimiters.
  case comment(String)
  /// A processing instruction.
  case processingInstruction(target: String, data: String)
}
