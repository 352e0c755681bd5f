import CLibxml2

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
