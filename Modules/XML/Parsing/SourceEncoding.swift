import CLibxml2
import CurlewCore
import CurlewSerialization

/// The encoding that a document is read in.
///
/// libxml2 never follows a document's declaration by itself, because that would let the document's author choose any
/// encoding that the system can load.
struct SourceEncoding {
  /// libxml2's name for the encoding; nil when it detects UTF-8 or UTF-16 itself.
  private(set) var label: String?
  /// The encoding that the document declares; nil if it declares none.
  let declared: String?
  /// Whether the encoding is known from outside, which overrides the declaration.
  let isLabeled: Bool

  /// Chooses the encoding of a document.
  ///
  /// In this order: a byte order mark, the charset from outside, the declaration, and UTF-8 by default (RFC 7303 §3).
  ///
  /// - Throws: ``XMLError`` of kind `encoding` for one that is not an encoding of the web.
  init(_ charset: Charset?, of units: CodeUnits) throws(XMLError) {
    guard units.form != .ebcdic else { throw Self.unsupported("EBCDIC") }
    declared = PrologCheck.declaredEncoding(in: units)
    isLabeled = charset != nil && !units.isMarked
    guard !units.isMarked else { return }
    if let charset {
      label = charset == .utf16 ? Self.utf16(units) : CharsetDecoder.webName(of: charset)
      guard label != nil else { throw Self.unsupported(charset.name) }
    } else if units.form == .bytes, let declared, let charset = Charset(label: declared) {
      guard ![.utf16, .utf16BigEndian, .utf16LittleEndian].contains(charset) else {
        throw XMLError(.encoding, line: 1, column: 1, PrologCheck.otherEncoding)
      }
      label = CharsetDecoder.webName(of: charset)
      guard label != nil else { throw Self.unsupported(charset.name) }
    }
  }

  /// Calls a function with a view of a document's units in which only ASCII characters have the values of ASCII characters.
  ///
  /// After an escape sequence or a lead byte, bytes of ASCII characters are parts of others, which could hide markup or look
  /// like it. In the view they are `x`, at the same places.
  func withMarkup<Result>(of units: CodeUnits, _ body: (CodeUnits) -> Result) -> Result {
    let bytes: [UInt8]
    switch label {
    case "iso-2022-jp": bytes = units.withoutShiftedBytes()
    case "CP932": bytes = units.withoutTrailBytes { (0x81...0x9F).contains($0) || (0xE0...0xFC).contains($0) }
    case "BIG5-HKSCS", "gbk", "gb18030", "CP949": bytes = units.withoutTrailBytes { (0x81...0xFE).contains($0) }
    default: return body(units)
    }
    return bytes.withUnsafeBytes { body(CodeUnits($0, .bytes)) }
  }

  /// Makes a parser use the encoding; returns false if libxml2 does not know it.
  func apply(to context: xmlParserCtxtPtr) -> Bool {
    // libxml2 itself detects UTF-8, and UTF-16 with a byte order mark or a declaration.
    guard let label, label != "utf-8" else { return true }
    guard let handler = xmlFindCharEncodingHandler(label) else { return false }
    return xmlSwitchToEncoding(context, handler) == 0
  }

  private static func utf16(_ units: CodeUnits) -> String {
    units.form == .pairs(bigEndian: false) ? "UTF-16LE" : "UTF-16BE"
  }

  private static func unsupported(_ name: String) -> XMLError {
    XMLError(
      .encoding, line: 1, column: 1,
      "the encoding \(name.prefix(40)) is not supported; use UTF-8, UTF-16 or another encoding of the web")
  }
}

extension CodeUnits {
  /// Returns the bytes with `x` for those that follow a lead byte and could be an ASCII letter or sign, such as `]` or `|`.
  fileprivate func withoutTrailBytes(_ isLead: (UInt8) -> Bool) -> [UInt8] {
    var result = [UInt8](bytes)
    var index = 0
    while index + 1 < result.count {
      guard isLead(result[index]) else {
        index += 1
        continue
      }
      // No character of markup below `@` is a second byte: after a lead byte it is an error, and stays what it is.
      if (0x40...0x7E).contains(result[index + 1]) { result[index + 1] = UInt8(ascii: "x") }
      index += 2
    }
    return result
  }

  /// Returns ISO-2022-JP bytes with `x` for those of non-ASCII characters.
  fileprivate func withoutShiftedBytes() -> [UInt8] {
    var result = [UInt8](bytes)
    var isShifted = false
    var index = 0
    while index < result.count {
      if result[index] == 0x1B, index + 2 < result.count {
        // ESC ( B and ESC ( J lead back to single-byte ASCII and its Japanese variant.
        isShifted = !(result[index + 1] == 0x28 && [0x42, 0x4A].contains(result[index + 2]))
        for place in index...index + 2 { result[place] = UInt8(ascii: "x") }
        index += 3
        continue
      }
      if isShifted, result[index] > 0x20 { result[index] = UInt8(ascii: "x") }
      index += 1
    }
    return result
  }
}
