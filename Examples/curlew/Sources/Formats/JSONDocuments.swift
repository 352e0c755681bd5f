import CurlewCore
import CurlewJSON
import FoundationEssentials

/// JSON (RFC 8259).
struct JSONDocuments: Format {
  let name = "json"
  /// How an object with duplicate names is handled.
  var duplicateNames = JSONParsingOptions.DuplicateNames.keepLast
  let mediaTypes: [MediaType] = [.json, .javaScript, MediaType("text/json")].compactMap { $0 }

  func recognizes(_ prefix: Data) -> Bool {
    let first = prefix.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  func lines(of document: Data, head: ResponseHead?, _ options: DecodingOptions) throws -> [DecodedLine] {
    var parsing = JSONParsingOptions()
    parsing.maximumDepth = options.depth
    parsing.maximumBytes = options.bytes
    parsing.duplicateNames = duplicateNames
    guard let head else { return [DecodedLine(try JSONValue(parsing: document, options: parsing).text())] }
    // A response may have another charset, or no content.
    return [try JSONValueResponseSerializer(options: parsing).serialize(head, document) ?? .null].map {
      DecodedLine($0.text())
    }
  }

  func encode(_ documents: [JSONValue]) throws -> Data {
    documents.reduce(Data()) { $0 + JSONFraming.lines.record($1) }
  }
}
