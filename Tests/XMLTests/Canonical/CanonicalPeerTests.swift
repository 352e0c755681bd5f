import CLibxml2
import FoundationEssentials
import Testing

@testable import CurlewXML

/// Our canonical form beside libxml2's, byte for byte.
@Suite(.enabled(if: SharedData.isPresent, "shared/data is not beside the package"))
struct CanonicalPeerTests {
  /// Those with a namespace name that libxml2 writes unescaped: not well-formed, or another document.
  private static let unescaped: Set<String> = ["entity-in-ns-uri.xml"]

  private static let names = CorpusTests.wellFormed.filter { CorpusTests.refused[$0] == nil }

  @Test(arguments: names) func `whole documents are libxml2's, with comments and without`(name: String) throws {
    let document = try XMLDocument(parsing: SharedData.read("libxml2-tests/test/" + name))
    for comments in [false, true] {
      let ours = try? document.canonical(keepsComments: comments)
      let theirs = CanonicalPeer.data(document.tree, apex: nil, comments)
      guard Self.unescaped.contains(name) else {
        #expect(ours == theirs)
        continue
      }
      #expect(ours != theirs)
      let form = try #require(ours)
      #expect(try XMLDocument(parsing: form).canonical(keepsComments: comments) == form)
    }
  }

  @Test(arguments: names) func `each element of a document as the apex is libxml2's`(name: String) throws {
    let data = try SharedData.read("libxml2-tests/test/" + name)
    // libxml2 walks all of the document for each.
    guard data.count < 40_000, !Self.unescaped.contains(name) else { return }
    let document = try XMLDocument(parsing: data)
    var open = [document.root]
    while let element = open.popLast() {
      let ours = try? element.canonical(keepsComments: true)
      #expect(
        ours == CanonicalPeer.data(document.tree, apex: element.node, true), "\(element.name), line \(element.line)")
      open += element.elements
    }
  }

  @Test func `enough documents have a canonical form at all`() throws {
    let forms = Self.names.filter { name in
      (try? XMLDocument(parsing: SharedData.read("libxml2-tests/test/" + name)).canonical()) != nil
    }
    #expect(forms.count > 100)
  }
}

/// libxml2's own canonical form.
private enum CanonicalPeer {
  /// The form; nil when it is refused.
  static func data(_ tree: Tree, apex: xmlNodePtr?, _ keepsComments: Bool) -> Data? {
    guard let buffer = xmlAllocOutputBuffer(nil) else { return nil }
    defer { xmlOutputBufferClose(buffer) }
    let mode = Int32(bitPattern: XML_C14N_1_0.rawValue)
    let status = Library.run(nil, { _, _ in }) {
      xmlC14NExecute(tree.document, apex == nil ? nil : isVisible, apex, mode, nil, keepsComments ? 1 : 0, buffer)
    }
    guard status >= 0, let content = xmlOutputBufferGetContent(buffer) else { return nil }
    return Data(bytes: content, count: xmlOutputBufferGetSize(buffer))
  }

  /// Whether a node is the apex or below it; attributes and namespaces are where their element is.
  private static let isVisible: xmlC14NIsVisibleCallback = { apex, node, parent in
    var next = node?.pointee.type == XML_NAMESPACE_DECL || node?.pointee.type == XML_ATTRIBUTE_NODE ? parent : node
    while let current = next {
      if UnsafeMutableRawPointer(current) == apex { return 1 }
      guard current.pointee.type != XML_DOCUMENT_NODE else { return 0 }
      next = current.pointee.parent
    }
    return 0
  }
}
