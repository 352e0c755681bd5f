import CurlewJSON
import FoundationEssentials
import Testing

struct StrictnessTests {
  @Test(arguments: [
    ("", JSONError.Kind.empty, 0), (" \n ", .empty, 3), ("{", .unexpectedEnd, 1), ("[1,", .unexpectedEnd, 3),
    ("[1 2]", .unexpectedCharacter, 3), ("{\"a\" 1}", .unexpectedCharacter, 5), ("[1,]", .unexpectedCharacter, 3),
    ("{\"a\":1,}", .unexpectedCharacter, 7), ("{1:2}", .unexpectedCharacter, 1), ("truE", .unexpectedCharacter, 3),
    ("nul", .unexpectedEnd, 3), ("1 2", .trailingContent, 2), ("[]]", .trailingContent, 2), ("01", .invalidNumber, 1),
    ("-", .unexpectedEnd, 1), ("-a", .invalidNumber, 1), ("1.", .unexpectedEnd, 2), ("[1.]", .invalidNumber, 3),
    ("[1e]", .invalidNumber, 3), ("[1e+]", .invalidNumber, 4), ("1e", .unexpectedEnd, 2),
    ("\"a\nb\"", .controlCharacter, 2), ("\"\\x\"", .invalidEscape, 1), ("\"\\u12G4\"", .invalidEscape, 1),
    ("\"\\u12\"", .invalidEscape, 1), ("\"abc", .unexpectedEnd, 4), ("\"abc\\", .unexpectedEnd, 5),
    ("\"\\ud800\"", .loneSurrogate, 1), ("\"\\udc00\"", .loneSurrogate, 1), ("\"x\\ud800\\u0041\"", .loneSurrogate, 2),
    ("+1", .unexpectedCharacter, 0), (".5", .unexpectedCharacter, 0), ("NaN", .unexpectedCharacter, 0),
    ("[\u{A0}1]", .unexpectedCharacter, 1), ("{\"a\":1 /*x*/}", .unexpectedCharacter, 7),
  ])
  func `a document that breaks the grammar is refused where it breaks`(
    _ text: String, _ kind: JSONError.Kind, _ offset: Int
  ) {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    #expect(error?.kind == kind)
    #expect(error?.offset == offset)
  }

  @Test(
    arguments: [
      [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0x80, 0x80],
      [0xF4, 0x90, 0x80, 0x80],
      [0xF5, 0x80, 0x80, 0x80], [0xFF], [0x80], [0xC2], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xE2, 0x28, 0xA1],
    ] as [[UInt8]])
  func `ill-formed UTF-8 is refused at its first byte`(_ sequence: [UInt8]) {
    for prefix in ["", "é", "0123456789abcdef", "\\n"] {
      for suffix in ["", "0123456789abcdef"] {
        let bytes = Array("[\"\(prefix)".utf8) + sequence + Array("\(suffix)\"]".utf8)
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: bytes) }
        #expect(error?.kind == .invalidUTF8)
        #expect(error?.offset == 2 + prefix.utf8.count)
      }
    }
  }

  @Test func `every escape and every plane of Unicode is read`() throws {
    let text = #""\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\uDE00\u0000é€😀\u007f""#
    #expect(try JSONValue(parsing: text) == .string("\"\\/\u{8}\u{C}\n\r\tAé€😀\0é€😀\u{7F}"))
  }

  @Test(arguments: 0..<0x20 as Range<UInt8>)
  func `a bare control character is refused wherever it stands`(_ control: UInt8) {
    for place in 0..<20 {
      var text = [UInt8](repeating: UInt8(ascii: "x"), count: 24)
      text[place] = control
      let error = #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22] + text + [0x22]) }
      #expect(error?.kind == .controlCharacter)
      #expect(error?.offset == place + 1)
    }
  }

  @Test(arguments: [1, 20]) func `a string of escapes alone is the text they stand for`(_ count: Int) throws {
    let escapes = String(repeating: #"\u00e9\u20ac\ud83d\ude00"#, count: count)
    let text = try #require(try JSONValue(parsing: "\"\(escapes)\"").stringValue)
    #expect(Array(text.unicodeScalars) == Array(repeatElement(["é", "€", "😀"], count: count).joined()))
    #expect(Array(text.utf16) == Array(repeatElement([0xE9, 0x20AC, 0xD83D, 0xDE00], count: count).joined()))
    #expect(text.count == 3 * count)
  }

  @Test func `strings of every length around a word boundary are read whole`() throws {
    for length in 0...40 {
      for filler in ["x", "é", "\\n", "日"] {
        let repeated = String(repeating: filler, count: length)
        let expected = repeated.replacing("\\n", with: "\n")
        #expect(try JSONValue(parsing: "\"\(repeated)\"") == .string(expected))
        #expect(try JSONValue(parsing: "{\"\(repeated)\":\"\(repeated)\"}")[expected] == .string(expected))
      }
    }
  }

  @Test func `half of a surrogate pair is replaced when that is asked for`() throws {
    var options = JSONParsingOptions()
    options.loneSurrogates = .replace
    let text = #"["\ud800","\udc00x","\ud800\ud800\udc00","\ud83d\u0041"]"#
    #expect(
      try JSONValue(parsing: text, options: options)
        == ["\u{FFFD}", "\u{FFFD}x", "\u{FFFD}\u{10000}", "\u{FFFD}A"])
  }

  @Test func `a byte order mark is skipped, or refused when that is asked for`() throws {
    let bytes = [0xEF, 0xBB, 0xBF] + Array("[1]".utf8)
    #expect(try JSONValue(parsing: bytes) == [1])
    var options = JSONParsingOptions()
    options.allowsByteOrderMark = false
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: bytes, options: options) }
    #expect(error?.kind == .byteOrderMark)
    #expect(throws: JSONError.self) { try JSONValue(parsing: [0xEF, 0xBB, 0xBF]) }
    #expect(throws: JSONError.self) { try JSONValue(parsing: [0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF, 0x31]) }
  }

  @Test(arguments: [
    ("[\n 1,\n  x]", 3, 3), ("[\r\n\r\nx]", 3, 1), ("[\rx]", 2, 1), ("x", 1, 1), ("[\"日本\", x]", 1, 8),
    ("\u{FEFF}[x]", 1, 2), ("[1,\n2", 2, 2), ("[\"a\nb\"]", 1, 4),
  ])
  func `an error tells line and column`(_ text: String, _ line: Int, _ column: Int) {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    #expect(error?.line == line)
    #expect(error?.column == column)
    #expect(error?.description.hasPrefix("line \(line), column \(column): ") == true)
  }
}
