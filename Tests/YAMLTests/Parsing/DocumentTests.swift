import CurlewYAML
import FoundationEssentials
import Testing

struct DocumentTests {
  @Test func `a stream has any number of documents`() throws {
    #expect(try YAMLValue.documents(parsing: "") == [])
    #expect(try YAMLValue.documents(parsing: "# nothing\n") == [])
    #expect(try YAMLValue.documents(parsing: "---\n---\n- 1\n...\n--- x") == [nil, [1], "x"])
    #expect(try YAMLValue.documents(parsing: "a: 1\n---\nb: 2\n") == [["a": 1], ["b": 2]])
  }

  @Test func `where one document is wanted there is one`() throws {
    #expect(try YAMLValue(parsing: "--- 1\n...\n") == 1)
    #expect(throws: YAMLError.self) { try YAMLValue(parsing: "") }
    let error = try #require(throws: YAMLError.self) { try YAMLValue(parsing: "a\n--- b\n") }
    #expect(error.kind == .moreThanOneDocument && error.line == 2 && error.column == 1)
  }

  @Test(arguments: [
    ("a: [1, 2\nb: 3", 2, 2), ("a: 'x", 1, 6), ("b: [c", 1, 6), ("b: [c\n", 2, 1), ("\t- a", 1, 1), ("a: b: c", 1, 5),
    ("{a: 1}}", 1, 7), ("é: é: x", 1, 5),
    ("'a'\n%YAML 1.2\n--- b", 2, 1), ("a: 'b'#c", 1, 7), ("- |#c\n a", 1, 4), ("'b'#c", 1, 4), ("[a, -]", 1, 5),
    ("%YAML 1.2#c\n---\n", 1, 10), ("- [\n\ta]", 2, 2),
    ("a: {\n b: 1,\n\tc: 2}", 3, 2),
    ("[a]#c", 1, 4), ("[a,#c\n b]", 1, 4),
    ("a: \"b\nc\"", 2, 1), ("a: [b,\nc]", 2, 1), ("a: |\n   \n x", 3, 2), ("a\0b", 1, 2), ("é\u{7}", 1, 2),
  ])
  func `an error tells line and column`(text: String, line: Int, column: Int) throws {
    let error = try #require(throws: YAMLError.self) { try YAMLValue.documents(parsing: text) }
    #expect((error.line, error.column) == (line, column), "\(error)")
    #expect(error.description.hasPrefix("line \(line), column \(column): "))
  }

  @Test func `what people write is taken`() throws {
    #expect(try YAMLValue(parsing: "a: [\n  1,\n]\nb: {\n}\n#end") == ["a": [1], "b": [:]])
    #expect(try YAMLValue(parsing: "a: 'b' # c\nb: |  # d\n  e\n") == ["a": "b", "b": "e\n"])
    #expect(try YAMLValue(parsing: "a: \"b\n\n  c\"") == ["a": "b\nc"])
    #expect(try YAMLValue(parsing: "key: &a !!seq\n- \"x\n  y\"\n- [\n  z]") == ["key": ["x y", ["z"]]])
    #expect(try YAMLValue(parsing: "{\n\t\"a\": [\n\t\t-1]\n}") == ["a": [-1]])
    #expect(try YAMLValue(parsing: "url: http://a/#b\nc: a#b") == ["url": "http://a/#b", "c": "a#b"])
    #expect(try YAMLValue(parsing: "--- |\n  %!PS\n  %TAG x\n") == "%!PS\n%TAG x\n")
  }

  @Test func `line separators of YAML 1.1 are characters`() throws {
    let text = "a\u{85}b\u{2028}c\u{2029}d"
    #expect(
      try YAMLValue(parsing: "x: \(text)\ny: '\(text)'\nz: \"\(text)\"\nw: |\n  \(text)\n\(text): 1")
        == ["x": .string(text), "y": .string(text), "z": .string(text), "w": .string(text + "\n"), .string(text): 1])
    let error = try #require(throws: YAMLError.self) { try YAMLValue(parsing: "'\(text)': [\n\(text): ]]") }
    #expect(error.line == 2)
  }

  static let sample = "é: [1, \"😀\", ~]\n"

  static let encodings: [[UInt8]] = {
    let units = Array(sample.utf16)
    let scalars = sample.unicodeScalars.map(\.value)
    let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    let little = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let wide = scalars.flatMap { value in (0..<4).map { UInt8(value >> (24 - 8 * $0) & 0xFF) } }
    let wideLittle = scalars.flatMap { value in (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) } }
    return [
      Array(sample.utf8), [0xEF, 0xBB, 0xBF] + Array(sample.utf8), [0xFE, 0xFF] + big, [0xFF, 0xFE] + little,
      [0, 0, 0xFE, 0xFF] + wide, [0xFF, 0xFE, 0, 0] + wideLittle,
      // Without a mark the first character has to be ASCII.
      [0, 0x20] + big, [0x20, 0] + little, [0, 0, 0, 0x20] + wide, [0x20, 0, 0, 0] + wideLittle,
    ]
  }()

  @Test(arguments: encodings.indices) func `all encodings of Unicode are read`(place: Int) throws {
    #expect(try YAMLValue(parsing: Self.encodings[place]) == ["é": [1, "😀", nil]])
  }

  @Test(
    arguments: [
      [0x61, 0x3A, 0x20, 0xFF], [0x61, 0x3A, 0x20, 0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xFE, 0xFF, 0xD8, 0x00],
      [0xFF, 0xFE, 0x61, 0x00, 0x62], [0, 0, 0xFE, 0xFF, 0, 0x11, 0, 0], [0xFF, 0xFE, 0x00, 0xDC],
      [0xF4, 0x90, 0x80, 0x80],
    ] as [[UInt8]])
  func `what is ill-formed in its encoding is refused`(bytes: [UInt8]) throws {
    let error = try #require(throws: YAMLError.self) { try YAMLValue(parsing: bytes) }
    #expect(error.kind == .invalidEncoding && error.line == 1)
  }

  @Test func `bytes are UTF-8 where Swift says so`() {
    let edges: [UInt8] = [0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0]
    for first in UInt8(0x80)...0xFF {
      for second in edges {
        for third in [0x7F, 0x80, 0xBF] as [UInt8] {
          for sequence in [[first], [first, second], [first, second, third], [first, second, third, 0x80]] {
            // A comment may hold what a scalar may not, and the encoding is looked at first.
            let bytes = Array("a # eight or more ".utf8) + sequence
            let isValid = String(validating: bytes, as: UTF8.self) != nil
            var kind: YAMLError.Kind?
            do throws(YAMLError) { _ = try YAMLValue(parsing: bytes) } catch { kind = error.kind }
            #expect((kind != .invalidEncoding) == isValid, "\(sequence)")
          }
        }
      }
    }
  }
}
