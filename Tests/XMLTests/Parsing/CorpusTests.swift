import CurlewXML
import FoundationEssentials
import Testing

@Suite(.enabled(if: SharedData.isPresent, "shared/data is not beside the package"))
struct CorpusTests {
  private static func names(_ folder: String) -> [String] {
    SharedData.files(in: "libxml2-tests/" + folder).filter { name in
      var isFolder = false
      _ = FileManager.default.fileExists(
        atPath: SharedData.folder + "/libxml2-tests/\(folder)/\(name)", isDirectory: &isFolder)
      return !isFolder
    }
  }

  static let wellFormed = names("test")
  static let faulty = ["test/errors", "test/errors10", "test/namespaces"].flatMap { folder in
    names(folder).map { folder + "/" + $0 }
  }

  /// Well-formed by the letter, but refused, each for its reason.
  static let refused: [String: XMLError.Kind] = [
    // It refers to entities that only the external definition could declare, which is not loaded: libxml2 2.9.14 reports an
    // error, and the document without them would be another one.
    "undeclared-entity.xml": .undeclaredEntity,
    // It refers to an external entity, and none is ever loaded: what the document says is not known.
    "ent2": .externalEntity,
    // It is in EBCDIC, which is not an encoding of the web. Its bytes could hide markup from the check of attributes.
    "ebcdic_566012.xml": .encoding,
  ]

  /// Among the errors, but taken, each for its reason.
  static let accepted: Set<String> = [
    // An attribute is declared twice, which XML 1.0 §3.3 allows: the first declaration is binding. libxml2 warns.
    "test/errors/attr3.xml",
    // The entities' elements are in namespaces that are declared where they are referred to. libxml2 2.9.14 warns, as it
    // parses them out of their place; here they are parsed in it.
    "test/errors/ns-ent.xml",
    // An attribute whose name begins with xmlns and has no colon declares nothing; such names are reserved, not forbidden
    // (XML 1.0 §2.3). libxml2 reports nothing.
    "test/namespaces/err_0.xml",
  ]

  @Test(arguments: wellFormed) func `well-formed documents are taken, whole and as a stream`(name: String) throws {
    let data = try SharedData.read("libxml2-tests/test/" + name)
    if let kind = Self.refused[name] {
      let error = #expect(throws: XMLError.self) { try XMLDocument(parsing: data) }
      #expect(error?.kind == kind)
      #expect(throws: XMLError.self) { try Events.of(data, by: 100) }
      return
    }
    let document = try XMLDocument(parsing: data)
    let whole = try Events.of(data, by: .max)
    let pieces = try Events.of(data, by: 100)
    #expect(whole == pieces)
    // The events are those of the tree: written out, both are the same.
    var starts = 0
    for event in whole { if case .startElement = event { starts += 1 } }
    guard case .nodes(let nodes) = try document.evaluate("//*") else {
      Issue.record("no nodes")
      return
    }
    #expect(starts == nodes.count)
    let again = try XMLDocument(parsing: document.root.data())
    #expect(try again.root.canonical() == document.root.canonical())
  }

  @Test(arguments: faulty) func `faulty documents are refused, whole and as a stream`(name: String) throws {
    let data = try SharedData.read("libxml2-tests/" + name)
    if Self.accepted.contains(name) {
      _ = try XMLDocument(parsing: data)
      _ = try Events.of(data, by: 7)
      return
    }
    let error = #expect(throws: XMLError.self) { try XMLDocument(parsing: data) }
    #expect(error.map { $0.line >= 1 && $0.column >= 1 && !$0.reason.isEmpty } == true)
    #expect(throws: XMLError.self) { try Events.of(data, by: .max) }
    #expect(throws: XMLError.self) { try Events.of(data, by: 7) }
  }
}

extension XMLDocument {
  /// The error of a document that has to have one.
  static func error(of text: String, options: XMLParsingOptions = XMLParsingOptions()) -> XMLError? {
    do throws(XMLError) {
      _ = try XMLDocument(parsing: Data(text.utf8), options: options)
      return nil
    } catch {
      return error
    }
  }
}
