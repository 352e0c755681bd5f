import CurlewCore
import CurlewSerialization
import FoundationEssentials
import Testing

@Suite struct CharsetTests {
  private func decode(_ bytes: [UInt8], _ label: String) throws -> String {
    try CharsetDecoder.string(Data(bytes), as: try #require(Charset(label: label)))
  }

  @Test(
    arguments: [
      ("utf-8", [0xC3, 0xA9], "é"), ("us-ascii", [0x41], "A"), ("iso-8859-1", [0xE9, 0x80], "é\u{80}"),
      ("windows-1252", [0x80], "€"), ("windows-1251", [0xCF, 0xF0], "Пр"), ("koi8-r", [0xF0], "П"),
      ("iso-8859-15", [0xA4], "€"), ("shift_jis", [0x83, 0x65, 0x5C], "テ\\"), ("euc-jp", [0xA5, 0xC6], "テ"),
      ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x25, 0x46, 0x1B, 0x28, 0x42, 0x41], "テA"),
      ("gb2312", [0xD6, 0xD0], "中"), ("gb18030", [0x81, 0x30, 0x81, 0x30], "\u{80}"), ("big5", [0xA4, 0xA4], "中"),
      ("euc-kr", [0xC7, 0xD1], "한"), ("utf-16le", [0x41, 0], "A"), ("utf-16", [0, 0x41], "A"),
      ("utf-16", [0xFF, 0xFE, 0x41, 0], "A"), ("utf-16le", [0xFF, 0xFE, 0, 0], "\0"),
      ("utf-32", [0xFF, 0xFE, 0, 0, 0x41, 0, 0, 0], "A"), ("utf-8", [0xEF, 0xBB, 0xBF, 0x41], "A"),
      ("utf-8", [0xFE, 0xFF, 0, 0x41], "A"), ("ibm866", [0x8F], "П"), ("utf-8", [], ""),
    ] as [(String, [UInt8], String)])
  func `bytes become text`(label: String, bytes: [UInt8], text: String) throws {
    #expect(try decode(bytes, label) == text)
  }

  @Test(
    arguments: [
      ("utf-8", [0xC3]), ("us-ascii", [0x80]), ("euc-jp", [0xA5]), ("utf-16le", [0x41]),
      ("utf-16be", [0xD8, 0, 0, 0x41]),
      ("iso-2022-jp", [0x1B, 0x24]), ("gb18030", [0x81, 0x30, 0x81]), ("windows-1257", [0xA1]),
    ] as [(String, [UInt8])])
  func `bytes that are not in the charset are an error`(label: String, bytes: [UInt8]) throws {
    #expect(try #require(throws: CharsetError.self) { try decode(bytes, label) }.kind == .malformed)
  }

  @Test(arguments: ["x-klingon", "utf-7", "internal", "wchar_t", "char", "ibm1390", "iso-2022-cn-ext", "utf-8//ignore"])
  func `a charset that is not read is an error`(label: String) throws {
    #expect(try #require(throws: CharsetError.self) { try decode([0x41], label) }.kind == .unknown)
  }

  @Test func `a text longer than the converter's buffer comes whole`() throws {
    let bytes = [UInt8](repeating: 0x80, count: 200_001)
    #expect(try decode(bytes, "windows-1252") == String(repeating: "€", count: 200_001))
  }

  @Test func `a slice of data is read by its own bounds`() throws {
    let slice = Data([0, 0, 0xEF, 0xBB, 0xBF, 0x41]).dropFirst(2)
    #expect(try CharsetDecoder.string(slice, as: .utf8) == "A")
    let wide = Data([9, 0, 0x41]).dropFirst()
    #expect(try CharsetDecoder.string(wide, as: .utf16) == "A")
  }

  @Test func `the charset of the type decides, else the fallback`() throws {
    let head = try makeHead(type: "text/plain; charset=koi8-r")
    #expect(try StringResponseSerializer().output(of: head, Data([0xF0])) == "П")
    let unlabelled = try makeHead(type: "text/plain")
    #expect(try StringResponseSerializer(fallback: .iso88591).output(of: unlabelled, Data([0xE9])) == "é")
    let error = try #require(throws: NetworkError.self) {
      try StringResponseSerializer().output(of: unlabelled, Data([0xE9]))
    }
    #expect(error.kind == .serializationFailed)
    #expect((error.details.underlying as? CharsetError)?.kind == .malformed)
  }
}
