import CLibxml2
import Glibc

/// Keeps carriage returns that character references put into an entity (`<!ENTITY e "&#13;">`).
///
/// Only line ends of the document's own text are normalized (XML 1.0 §2.11), and only in attribute values an entity's carriage
/// return becomes a space (§3.3.3). libxml2 turns it into a line feed in text, too. So the entity is declared a second time, with
/// references in place of the carriage returns in its text, and that declaration is used for references in content.
enum CarriageReturns {
  /// Returns the name of an entity's second declaration, which no document can refer to.
  static func secondName(_ name: UnsafePointer<xmlChar>) -> [UInt8] {
    [UInt8](UnsafeBufferPointer(start: name, count: strlen(name))) + [0x20, 0]
  }

  /// Returns an entity's content with references in place of the carriage returns in its text; nil if it has none.
  static func referring(_ content: UnsafePointer<xmlChar>) -> [UInt8]? {
    let bytes = UnsafeBufferPointer(start: content, count: strlen(content))
    guard bytes.contains(0x0D) else { return nil }
    var result: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.first {
      if byte == 0x0D {
        result += "&#13;".utf8
        rest.removeFirst()
      } else if rest.starts(with: "<![CDATA[".utf8) {
        for byte in take(&rest, past: "]]>") {
          if byte == 0x0D { result += "]]>&#13;<![CDATA[".utf8 } else { result.append(byte) }
        }
      } else if byte == UInt8(ascii: "<") {
        result += markup(&rest)
      } else {
        result.append(byte)
        rest.removeFirst()
      }
    }
    return result + [0]
  }

  private typealias Rest = Slice<UnsafeBufferPointer<UInt8>>

  /// Removes and returns a comment, an instruction or a tag.
  private static func markup(_ rest: inout Rest) -> Rest {
    if rest.starts(with: "<!--".utf8) { return take(&rest, past: "-->") }
    if rest.starts(with: "<?".utf8) { return take(&rest, past: "?>") }
    var quote: UInt8?
    let end = rest.firstIndex { byte in
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      }
      return quote == nil && byte == UInt8(ascii: ">")
    }
    defer { rest = rest[(end.map { $0 + 1 } ?? rest.endIndex)...] }
    return rest[..<(end.map { $0 + 1 } ?? rest.endIndex)]
  }

  /// Removes and returns everything up to the end of a text, or all if it does not occur.
  private static func take(_ rest: inout Rest, past text: StaticString) -> Rest {
    let whole = rest
    while !rest.isEmpty, !text.withUTF8Buffer({ rest.starts(with: $0) }) { rest.removeFirst() }
    rest = rest.dropFirst(text.utf8CodeUnitCount)
    return whole[..<rest.startIndex]
  }
}
