import CLibxml2

/// libxml2's tree of a document, alive as long as anything that looks at it.
final class Tree: @unchecked Sendable {
  // Safe because nothing writes to a tree once it is owned: views only read, what libxml2 would fill in later is filled in
  // by the parser, and evaluation and canonical form keep their state in contexts of their own.
  let document: xmlDocPtr

  /// Takes a tree over.
  init(owning document: xmlDocPtr) {
    self.document = document
  }

  deinit { xmlFreeDoc(document) }
}

extension String {
  /// A text of libxml2's, which is UTF-8; nil where there is none.
  init?(xml text: UnsafePointer<xmlChar>?) {
    guard let text else { return nil }
    self.init(cString: text)
  }

  /// A text that libxml2 made for the caller, who frees it.
  init?(freeing text: UnsafeMutablePointer<xmlChar>?) {
    guard let text else { return nil }
    self.init(cString: text)
    curlew_xml_free(text)
  }
}
