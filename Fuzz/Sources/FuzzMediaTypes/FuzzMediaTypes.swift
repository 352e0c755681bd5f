import CurlewCore
import CurlewSerialization
import FoundationEssentials
import FuzzKit

/// Fuzzes media types, content dispositions, and text in the charset of a type.
@main enum FuzzMediaTypes: FuzzTarget {
  static func read(_ bytes: Data) {
    let line = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
    let text = String(decoding: bytes[..<line], as: UTF8.self)
    if let type = MediaType(text) {
      let written = type.description
      demand(MediaType(written) == type, "\(written) does not read back")
      demand(type.withoutParameters.match(type) == .exact, "a type does not match itself")
      demand(
        written.utf8.allSatisfy { $0 == 9 || ($0 >= 0x20 && $0 != 0x7F) }, "a control character is written")
      for pattern in [MediaType.any, .json, .propertyList] { _ = pattern.match(type) }
      if let charset = type.charset { _ = try? CharsetDecoder.string(bytes[line...], as: charset) }
    }
    for dialect in [ContentDisposition.Dialect.header, .plain, .formData] {
      let disposition = ContentDisposition(text, dialect: dialect)
      if let written = try? disposition.fieldValue(dialect) {
        demand(!written.utf8.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 }, "a line break is written")
        demand(ContentDisposition(written, dialect: dialect).name == disposition.name, "a name does not read back")
      }
    }
    if let charset = Charset(label: text) { _ = try? CharsetDecoder.string(bytes[line...], as: charset) }
  }

}
