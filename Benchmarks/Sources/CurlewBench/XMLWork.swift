import CRawXML
import CurlewXML
import Foundation
import FoundationXML

extension ParseWork {
  /// XML: the document as a tree.
  static func xml(peer: ParsePeer?) -> [ParseWork] {
    switch peer {
    case .foundationXML: [ParseWork(name: "document") { _ = try FoundationXML.XMLDocument(data: $0, options: []) }]
    case .libxml2: [ParseWork(name: "document") { try readRaw($0) }]
    default:
      [
        ParseWork(name: "document") { _ = try CurlewXML.XMLDocument(parsing: $0) },
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

  private static func readRaw(_ data: Data) throws {
    let status = data.withUnsafeBytes { bytes in
      raw_xml_read(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count))
    }
    if status != 0 { throw CocoaError(.fileReadCorruptFile) }
  }
}
