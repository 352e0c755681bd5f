import CLibxml2

/// Owns libxml2's tree of a document, for as long as a view refers to it.
final class Tree: @unchecked Sendable {
  // Safe because nothing writes to a tree once it is owned: views only read, the parser fills in what libxml2 would
  // otherwise add later, and queries and canonicalization keep their state in contexts of their own.
  let document: xmlDocPtr

  /// Takes ownership of a tree.
  init(owning document: xmlDocPtr) {
    self.document = document
  }

  deinit { xmlFreeDoc(document) }
}

extension String {
  /// Creates a string from libxml2's UTF-8; nil for a null pointer.
  init?(xml text: UnsafePointer<xmlChar>?) {
    guard let text else { return nil }
    self.init(cString: text)
  }

  /// Creates a string from a text that libxml2 allocated, and frees the original.
  init?(freeing text: UnsafeMutablePointer<xmlChar>?) {
    guard let text else { return nil }
    self.init(cString: text)
    curlew_xml_free(text)
  }
}
