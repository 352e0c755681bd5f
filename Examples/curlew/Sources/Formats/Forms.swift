import CurlewCore
import CurlewJSON
import CurlewSerialization
import FoundationEssentials

/// `application/x-www-form-urlencoded`, the format of queries and forms.
///
/// `a[]=1&a[]=2` is an array and `a[b]=1` an object, as `encode` writes them; a repeated name makes an array, too. Values are
/// text, and a name without `=` is null.
struct Forms: Format {
  let name = "form"
  let mediaTypes = [MediaType.formURLEncoded]

  func lines(of document: Data, head: ResponseHead?, _ options: DecodingOptions) throws -> [DecodedLine] {
    // An array is several times as fast as `Data`, byte by byte.
    let document = [UInt8](document)
    let fields = FormTree(depth: options.depth)
    // A line break at the end comes from an editor.
    let end = document.reversed().drop { $0 == 0x0A || $0 == 0x0D }.count
    for pair in document.prefix(end).split(separator: UInt8(ascii: "&")) {
      let equals = pair.firstIndex(of: UInt8(ascii: "="))
      let name = try Self.text(pair[..<(equals ?? pair.endIndex)], in: document)
      let value = try equals.map { JSONValue.string(try Self.text(pair[($0 + 1)...], in: document)) }
      try fields.add(value ?? .null, named: name)
    }
    return [DecodedLine(fields.value.text())]
  }

  func encode(_ documents: [JSONValue]) throws -> Data {
    Data(try QueryEncoding().string(Self.parameters(documents.only)).utf8)
  }

  /// Returns decoded text; a `%` that begins no escape stays unchanged.
  private static func text(_ bytes: ArraySlice<UInt8>, in document: [UInt8]) throws -> String {
    var result: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == UInt8(ascii: "%"), digits.count == 2,
        digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
        let escaped = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        result.append(escaped)
        rest = rest.dropFirst(2)
      } else {
        result.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
      }
    }
    guard let text = String(validating: result, as: UTF8.self) else {
      let before = document[..<bytes.startIndex]
      let line = 1 + before.count { $0 == 0x0A }
      let column = 1 + before.count - (before.lastIndex(of: 0x0A).map { $0 + 1 - before.startIndex } ?? 0)
      throw FormatError(line: line, column: column, "this name or value is not UTF-8")
    }
    return text
  }

  private static func parameters(_ value: JSONValue) throws -> Parameters {
    switch value {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .number(let number): return .string(number.text)
    case .string(let text): return .string(text)
    case .array(let elements): return .array(try elements.map(parameters))
    case .object(let object):
      return .object(try object.map { Parameters.Member($0.name, try parameters($0.value)) })
    }
  }
}
