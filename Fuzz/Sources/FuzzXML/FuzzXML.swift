import CurlewXML
import FoundationEssentials
import FuzzKit

/// Fuzzes XML documents, in one piece and as streams.
///
/// Each input is read as it is, and chooses a document with declarations and `xml:` attributes.
@main enum FuzzXML: FuzzTarget {
  static func read(_ bytes: Data) {
    check(bytes)
    check(Data(MadeDocument([UInt8](bytes.prefix(600))).text.utf8))
  }

  private static func check(_ bytes: Data) {
    let whole = events([bytes])
    demand(whole == events(bytes.pieces), "events depend on how the stream is cut")
    do throws(XMLError) {
      let document = try XMLDocument(parsing: bytes)
      demand(whole != nil, "a document is taken whole and not as a stream")
      demand(elements(whole ?? []) == count(document.root), "a stream has other elements than the document")
      checkForms(document)
      query(document)
      _ = try? XMLDecoder().decode(AnyDecoded.self, from: document.root)
    } catch {
      demand(whole == nil, "a document is taken as a stream and not whole: \(error)")
      demand(error.line > 0 && error.column > 0, "an error has no line")
    }
  }

  /// Checks that a valid document survives writing.
  private static func checkForms(_ document: XMLDocument) {
    guard let canonical = try? document.root.canonical(keepsComments: true) else { return }
    guard let data = try? document.root.data(), let again = try? XMLDocument(parsing: data) else {
      demand(false, "a document that was read cannot be written")
      return
    }
    demand((try? again.root.canonical(keepsComments: true)) == canonical, "a document does not read back")
    guard let twice = try? XMLDocument(parsing: canonical) else {
      demand(false, "a canonical form is not read")
      return
    }
    demand((try? twice.canonical(keepsComments: true)) == canonical, "a canonical form is not its own")
  }

  private static func query(_ document: XMLDocument) {
    var path = XPath("//*[@*] | //text()[normalize-space()] | //comment() | //namespace::*")
    path.maximumSteps = 100_000
    _ = try? document.evaluate(path)
    // Uses the document's own text as an expression.
    var own = XPath(String(document.root.text.prefix(200)))
    own.maximumSteps = 100_000
    _ = try? document.evaluate(own)
  }

  private static func count(_ root: XMLElement) -> Int {
    var count = 0
    var open = [root]
    while let element = open.popLast() {
      count += 1
      open += element.elements
    }
    return count
  }

  private static func elements(_ events: [XMLEvent]) -> Int {
    events.reduce(0) { count, event in
      if case .startElement = event { count + 1 } else { count }
    }
  }

  /// Returns the events of a document in pieces; nil if it is rejected.
  private static func events(_ pieces: [Data]) -> [XMLEvent]? {
    do throws(XMLError) {
      let parser = try XMLEventParser()
      var events: [XMLEvent] = []
      for piece in pieces {
        try parser.append(piece)
        while let event = try parser.next() { events.append(event) }
      }
      try parser.finish()
      while let event = try parser.next() { events.append(event) }
      return events
    } catch {
      return nil
    }
  }
}
