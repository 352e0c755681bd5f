import CRawXML
import CurlewXML
import Foundation
import FoundationXML

extension ParseWork {
  /// Parses XML as a tree, as a tree with its canonical form, and as events.
  static func xml(peer: ParsePeer?) -> [ParseWork] {
    switch peer {
    case .foundationXML: [ParseWork(name: "document") { _ = try FoundationXML.XMLDocument(data: $0, options: []) }]
    case .libxml2:
      [
        ParseWork(name: "document") { try readRaw($0, raw_xml_read) },
        ParseWork(name: "canonical") { try readRaw($0, raw_xml_canonical) },
      ]
    default:
      [
        ParseWork(name: "document") { _ = try CurlewXML.XMLDocument(parsing: $0) },
        ParseWork(name: "canonical") { _ = try CurlewXML.XMLDocument(parsing: $0).canonical() },
        ParseWork(name: "events") { data in
          let parser = try XMLEventParser()
          try parser.append(data)
          while try parser.next() != nil {}
          try parser.finish()
          while try parser.next() != nil {}
        },
      ]
    }
  }

  private static func readRaw(_ data: Data, _ read: (UnsafePointer<CChar>?, Int32) -> Int32) throws {
    let status = data.withUnsafeBytes { bytes in
      read(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count))
    }
    if status != 0 { throw CocoaError(.fileReadCorruptFile) }
  }
}
