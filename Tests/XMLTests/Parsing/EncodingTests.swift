import CurlewCore
import CurlewXML
import FoundationEssentials
import Testing

/// The encodings that a document may be in.
@Suite struct EncodingTests {
  /// In UTF-7 `<` is `+ADw-`, so that the tag with many attributes has no `<` that a look at the bytes finds.
  private static let hidden = "+ADw-b " + (0..<5000).map { "a\($0)='' " }.joined() + "/+AD4-"

  @Test(arguments: [
    "UTF-7", "utf7", "ISO-2022-CN-EXT", "ISO-2022-CN", "ISO-2022-KR", "HZ", "HZ-GB-2312", "CP037", "IBM037",
    "EBCDIC-US",
    "UTF-7-IMAP", "UNICODELITTLE", "//", "utf-8//translit", "char", "wchar_t", "unicode", "SCSU", "BOCU-1",
  ])
  func `an encoding that is not one of the web is refused, declared or labelled`(name: String) throws {
    let declared = Data("<?xml version='1.0' encoding='\(name)'?><a>\(Self.hidden)</a>".utf8)
    for parse in [{ _ = try XMLDocument(parsing: declared) }, { _ = try Events.of(declared, by: 100) }]
      as [() throws -> Void]
    {
      let error = #expect(throws: XMLError.self) { try parse() }
      // libxml2 finds that `//` is not the name of an encoding.
      #expect(error?.kind == .encoding || name.contains("//"), "\(String(describing: error))")
    }
    guard name != "unicode", let charset = Charset(label: name) else { return }
    let labelled = Data("<a>\(Self.hidden)</a>".utf8)
    #expect(#expect(throws: XMLError.self) { try XMLDocument(parsing: labelled, charset: charset) }?.kind == .encoding)
    #expect(#expect(throws: XMLError.self) { try Events.of(labelled, charset: charset) }?.kind == .encoding)
  }

  @Test(
    arguments: [
      ("Shift_JIS", [0x93, 0xFA, 0x96, 0x7B], "日本"), ("EUC-JP", [0xC6, 0xFC, 0xCB, 0xDC], "日本"),
      ("ISO-2022-JP", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42], "日本"),
      ("EUC-KR", [0xC7, 0xD1], "한"), ("Big5", [0xA4, 0xA4], "中"), ("GBK", [0xD6, 0xD0], "中"),
      ("GB2312", [0xD6, 0xD0], "中"), ("GB18030", [0xD6, 0xD0], "中"), ("KOI8-R", [0xC1], "а"),
      ("windows-1251", [0xE0], "а"),
      ("windows-1252", [0x80], "€"), ("ISO-8859-1", [0xE9], "é"), ("latin1", [0xE9], "é"), ("ISO-8859-15", [0xA4], "€"),
      ("ISO-8859-7", [0xE1], "α"), ("macintosh", [0x8E], "é"), ("windows-874", [0xA1], "ก"), ("ibm866", [0xA0], "а"),
      ("US-ASCII", [0x41], "A"), ("UTF-8", [0xC3, 0xA9], "é"),
    ] as [(String, [UInt8], String)])
  func `the encodings of the web are read, whole and as a stream`(name: String, bytes: [UInt8], text: String) throws {
    let data = Data("<?xml version='1.0' encoding='\(name)'?><a>".utf8) + bytes + Data("</a>".utf8)
    let document = try XMLDocument(parsing: data)
    #expect(document.root.text == text)
    #expect(document.encoding == name)
    for size in [3, Int.max] { #expect(try Events.of(data, by: size).contains(.text(text))) }
    let charset = try #require(Charset(label: name))
    let bare = Data("<a>".utf8) + bytes + Data("</a>".utf8)
    #expect(try XMLDocument(parsing: bare, charset: charset).root.text == text)
  }

  @Test func `EBCDIC is refused`() throws {
    let bytes: [UInt8] = [0x4C, 0x6F, 0xA7, 0x94, 0x93, 0x6F, 0x6E, 0x4C, 0x81, 0x61, 0x6E]
    #expect(#expect(throws: XMLError.self) { try XMLDocument(parsing: Data(bytes)) }?.kind == .encoding)
    #expect(#expect(throws: XMLError.self) { try Events.of(Data(bytes)) }?.kind == .encoding)
  }

  /// In two values bytes of kanji are `<`, so that the pieces between them look like short tags.
  @Test func `bytes that only look like markup hide no attributes`() throws {
    let kanji: [UInt8] = [0x1B, 0x24, 0x42, 0x3C, 0x3C, 0x1B, 0x28, 0x42]
    var data = Data("<?xml version='1.0' encoding='ISO-2022-JP'?><a".utf8)
    for index in 0..<20_000 {
      data += Data(" a\(index)='".utf8)
      if index % 100 == 0 { data += kanji }
      data.append(UInt8(ascii: "'"))
    }
    data += Data("/>".utf8)
    #expect(#expect(throws: XMLError.self) { try XMLDocument(parsing: data) }?.kind == .tooManyAttributes)
    #expect(#expect(throws: XMLError.self) { try Events.of(data) }?.kind == .tooManyAttributes)
  }
}
