import CLibxml2
import CurlewCore

/// An encoding that is known from outside of the document, as from `Content-Type`.
enum SourceEncoding {
  /// What to parse with in place of what the document declares; nil when that decides.
  ///
  /// A byte order mark is authoritative, then the charset parameter, then the document (RFC 7303 §3).
  ///
  /// - Throws: ``XMLError/Kind/encoding`` for a charset that would hide characters from whoever looks at the bytes.
  static func label(_ charset: Charset?, of units: CodeUnits) throws(XMLError) -> String? {
    guard let charset, !units.isMarked else { return nil }
    guard
      charset.name.hasPrefix("utf-") || charset.name.hasPrefix("iso-8859-") || charset.name.hasPrefix("windows-125")
        || Self.others.contains(charset.name)
    else {
      throw XMLError(.encoding, line: 1, column: 1, "the encoding \(charset.name) is not read")
    }
    guard charset != .utf16 else { return units.form == .pairs(bigEndian: false) ? "UTF-16LE" : "UTF-16BE" }
    return charset.name
  }

  private static let others: Set<String> = [
    "us-ascii", "shift_jis", "euc-jp", "iso-2022-jp", "euc-kr", "gbk", "gb2312", "gb18030", "big5", "koi8-r", "koi8-u",
    "macintosh",
  ]

  /// Makes a parser read an encoding whatever the document declares; false when it is not known.
  static func apply(_ label: String, to context: xmlParserCtxtPtr, _ options: XMLParsingOptions) -> Bool {
    Library.configure(context, options, ignoresDeclaration: true)
    // What the parser works in.
    if label == "utf-8" { return true }
    guard let handler = xmlFindCharEncodingHandler(label) else { return false }
    return xmlSwitchToEncoding(context, handler) == 0
  }
}
