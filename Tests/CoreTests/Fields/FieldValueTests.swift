import CurlewCore
import HTTPTypes
import Testing

struct FieldValueTests {
  @Test(arguments: [
    ("", []), (" , ,\t", []), ("a", ["a"]), (" a , b,,c ", ["a", "b", "c"]),
    ("a b;c=\"d,e\\\",f\" , g", ["a b;c=\"d,e\\\",f\"", "g"]),
    ("\"a,b", ["\"a,b"]), ("\"a\\", ["\"a\\"]), ("ä,€", ["ä", "€"]),
  ])
  func `a list is split at commas outside quotes`(value: String, elements: [Substring]) {
    #expect(Array(FieldList(value)) == elements)
  }

  @Test func `several lines are one list`() {
    #expect(Array(FieldList(lines: ["a, b", "c"])) == ["a", "b", "c"])
    #expect(Array(FieldList(lines: ["a"])) == ["a"])
    #expect(Array(FieldList(lines: [])).isEmpty)
  }

  @Test(arguments: [("42", 42), (" 42 , 42", 42), ("0", 0), ("9223372036854775807", Int64.max), ("0042,42", 42)])
  func `equal lengths are one`(text: String, value: Int64) throws {
    #expect(try ContentLength(text).value == value)
  }

  @Test(arguments: [
    ("", FieldError.Kind.malformed), ("-1", .malformed), ("+1", .malformed), ("1 2", .malformed), ("1,", .malformed),
    (",1", .malformed), ("1,,1", .malformed), ("0x10", .malformed), ("1.0", .malformed), ("1;1", .malformed),
    ("١", .malformed),
    ("1, 2", .conflicting), ("9223372036854775808", .overflow), ("99999999999999999999, 1", .overflow),
  ])
  func `a length that leaves the end unknown is an error`(text: String, kind: FieldError.Kind) {
    let error = #expect(throws: FieldError.self) { try ContentLength(text) }
    #expect(error?.kind == kind)
    #expect(error?.description.contains("Content-Length") == true)
  }

  @Test func `lengths of several lines are compared`() throws {
    var fields = HTTPFields()
    #expect(try ContentLength(of: fields) == nil)
    fields.append(HTTPField(name: .contentLength, value: "5"))
    fields.append(HTTPField(name: .contentLength, value: "5"))
    #expect(try ContentLength(of: fields)?.description == "5")
    fields.append(HTTPField(name: .contentLength, value: "6"))
    #expect(throws: FieldError.self) { try ContentLength(of: fields) }
    #expect(ContentLength(-1) == nil)
  }

  @Test(arguments: [
    ("UTF8", Charset.utf8), (" utf-8 ", .utf8), ("latin1", .iso88591),
    ("ISO_8859-1:1987", .iso88591),
    ("cp1252", .windows1252), ("ASCII", .usASCII), ("utf-16le", .utf16LittleEndian), ("UTF-16BE", .utf16BigEndian),
    ("UTF16", .utf16), ("UTF-32", .utf32), ("utf-32be", .utf32BigEndian), ("UTF-32LE", .utf32LittleEndian),
  ])
  func `labels of an encoding have one name`(label: String, charset: Charset) {
    #expect(Charset(label: label) == charset)
  }

  @Test func `other labels keep their name and nonsense has none`() {
    #expect(Charset(label: "X-MAC-Cyrillic")?.name == "x-mac-cyrillic")
    for label in ["", " ", "\t\n", String(repeating: "a", count: 128)] { #expect(Charset(label: label) == nil) }
  }

  @Test func `bytes that are not UTF-8 are read as ISO-8859-1`() {
    let latin = HTTPField(name: .contentDisposition, value: Array("filename=\"foo-".utf8) + [0xE4, 0x22])
    #expect(latin.text == "filename=\"foo-ä\"")
    #expect(HTTPField(name: .contentDisposition, value: "ä").text == "ä")
    #expect(HTTPField(name: .contentDisposition, value: "").text == "")
  }

  @Test func `random text never traps and joined elements split again`() {
    var fuzz = FieldFuzz(seed: 10, near: ["a, b;c=\"d,e\"", "5, 5", "utf-8"])
    for _ in 0..<100_000 {
      let text = fuzz.text()
      let elements = Array(FieldList(text))
      #expect(elements.allSatisfy { !$0.isEmpty })
      _ = try? ContentLength(text)
      _ = Charset(label: text)
    }
  }
}
