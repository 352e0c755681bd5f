import CLibxml2

/// Rules for declarations of namespaces, which libxml2 holds only those to that a document spells out.
///
/// Defaults of attributes declare namespaces as well (Namespaces in XML 1.0 §3).
enum NamespaceCheck {
  /// What is wrong with a declaration; nil when nothing is.
  static func fault(prefix: UnsafePointer<xmlChar>?, name: UnsafePointer<xmlChar>?) -> String? {
    let prefix = String(xml: prefix)
    guard let name, name.pointee != 0 else {
      return prefix.map { "the prefix \($0) is bound to nothing" }
    }
    let isXML = xmlStrEqual(name, XMLName.xmlNamespace) == 1
    if prefix == "xmlns" || isXML != (prefix == "xml") || xmlStrEqual(name, "http://www.w3.org/2000/xmlns/") == 1 {
      return "a declaration binds what is reserved"
    }
    let uri = UnsafeRawPointer(name).withMemoryRebound(to: CChar.self, capacity: 1) { xmlParseURI($0) }
    guard let uri else { return "the namespace name \(String(cString: name)) is no URI" }
    xmlFreeURI(uri)
    return nil
  }
}
