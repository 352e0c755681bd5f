import CurlewCSV
import FoundationEssentials
import Testing

@Suite struct ParserTests {
  private func records(
    _ text: String, chunk: Int = .max, _ options: CSVOptions = CSVOptions()
  ) throws(CSVError) -> [[String]] {
    try records(Data(text.utf8), chunk: chunk, options)
  }

  private func records(
    _ text: Data, chunk: Int = .max, _ options: CSVOptions = CSVOptions()
  ) throws(CSVError) -> [[String]] {
    var parser = CSVParser(options: options)
    var records: [[String]] = []
    var rest = text
    while !rest.isEmpty {
      parser.append(rest.prefix(chunk))
      rest = rest.dropFirst(min(chunk, rest.count))
      while let record = try parser.next() { records.append(record.fields) }
    }
    parser.finish()
    while let record = try parser.next() { records.append(record.fields) }
    return records
  }

  @Test(
    arguments: [
      // The examples of RFC 4180 §2.
      ("aaa,bbb,ccc\r\nzzz,yyy,xxx\r\n", [["aaa", "bbb", "ccc"], ["zzz", "yyy", "xxx"]]),
      ("aaa,bbb,ccc\r\nzzz,yyy,xxx", [["aaa", "bbb", "ccc"], ["zzz", "yyy", "xxx"]]),
      ("\"aaa\",\"bbb\",\"ccc\"\r\nzzz,yyy,xxx", [["aaa", "bbb", "ccc"], ["zzz", "yyy", "xxx"]]),
      ("\"aaa\",\"b\r\nbb\",\"ccc\"\r\nzzz,yyy,xxx", [["aaa", "b\r\nbb", "ccc"], ["zzz", "yyy", "xxx"]]),
      ("\"aaa\",\"b\"\"bb\",\"ccc\"", [["aaa", "b\"bb", "ccc"]]),
      // Spaces are part of a field (§2.4); an empty field is a field.
      (" a ,b \r\n,\r\n", [[" a ", "b "], ["", ""]]),
      ("a,b\n\"\",\"\"\n", [["a", "b"], ["", ""]]),
      ("a,b,", [["a", "b", ""]]),
      // Blank lines are no records; a quoted empty field is one.
      ("\r\na\n\n\"\"\n\n", [["a"], [""]]),
      ("\u{FEFF}é,水\n", [["é", "水"]]),
      ("\u{FEFF}\"a\"\n", [["a"]]),
      ("", []), ("\u{FEFF}", []),
    ] as [(String, [[String]])])
  func `records are read in chunks of any size`(text: String, expected: [[String]]) throws {
    for chunk in [1, 2, 3, 5, .max] { #expect(try records(text, chunk: chunk) == expected, "chunks of \(chunk)") }
  }

  @Test(
    arguments: [
      ("a,\"b\nc", CSVError.Kind.unterminatedQuote, 1, 3),
      ("a\nb\"c\n", .quoteInPlainField, 2, 2),
      ("a,\"b\" ,c", .textAfterQuote, 1, 6),
      ("é,a\rb", .loneCarriageReturn, 1, 4),
      ("a,b\r", .loneCarriageReturn, 1, 4),
      ("a,b\r\n1,2\r\n3\r\n", .unequalRecord, 3, 1),
      ("\"x\ny\",a\nb,c,d", .unequalRecord, 3, 1),
    ] as [(String, CSVError.Kind, Int, Int)])
  func `errors state their line and column`(text: String, kind: CSVError.Kind, line: Int, column: Int) throws {
    for chunk in [1, 4, .max] {
      let error = try #require(throws: CSVError.self) { try records(text, chunk: chunk) }
      #expect(error.kind == kind)
      #expect(error.line == line && error.column == column, "\(error)")
    }
  }

  @Test func `bytes that are not UTF-8 are refused where their field begins`() throws {
    for bytes in [
      Data([0x61, 0x2C, 0xFF]), Data([0x61, 0x2C, 0xC3]), Data([0x61, 0x2C, 0x22, 0xED, 0xA0, 0x80, 0x22]),
    ] {
      let error = try #require(throws: CSVError.self) { try records(bytes) }
      #expect(error.kind == .invalidUTF8 && error.line == 1 && error.column == 3, "\(error)")
    }
    for bytes in [Data([0xEF]), Data([0xEF, 0xBB]), Data([0xEF, 0xBB, 0x61])] {
      #expect(throws: CSVError.self) { try records(bytes, chunk: 1) }
    }
  }

  @Test func `a parser that failed has no more records`() throws {
    var parser = CSVParser()
    parser.append(Data("a\"\nb\n".utf8))
    #expect(throws: CSVError.self) { try parser.next() }
    parser.finish()
    #expect(try parser.next() == nil)
  }

  @Test func `each limit is an error where the record begins`() throws {
    var options = CSVOptions()
    options.maximumRecordBytes = 8
    options.maximumFields = 3
    #expect(try records("1234567\n1,2,3\n", options.allowing()) == [["1234567"], ["1", "2", "3"]])
    #expect(throws: CSVError.self) { try records("12345678\n", options) }
    #expect(throws: CSVError.self) { try records("\"1\n2\n3\n4\n5\"", options) }
    let error = try #require(throws: CSVError.self) { try records("1,2,3\n1,2,3,4\n", options) }
    #expect(error.kind == .tooManyFields && error.line == 2 && error.column == 7)
    options.maximumTableFields = 4
    let table = try #require(throws: CSVError.self) {
      try CSVTable(parsing: Data("a,b\n1,2\n3,4\n".utf8), options: options)
    }
    #expect(table.kind == .tableTooLarge && table.line == 3)
  }

  @Test(arguments: CSVOptions.Delimiter.allCases)
  func `every delimiter can be part of a field`(delimiter: CSVOptions.Delimiter) throws {
    var options = CSVOptions()
    options.delimiter = delimiter
    let table = CSVTable(
      columns: ["a", "b"], rows: [[",", ";"], ["\t", "|"], ["\r", "\n"], ["\"", ""], ["\u{FEFF}", " "]])
    let bytes = table.data(options: options)
    #expect(try CSVTable(parsing: bytes, options: options) == table)
    #expect(bytes.starts(with: [0x61, delimiter.rawValue, 0x62, 0x0D, 0x0A]))
  }

  @Test func `random tables are read as they were written`() throws {
    var generator = SystemRandomNumberGenerator()
    let alphabet = ["a", ",", "\"", "\r", "\n", "é", "\u{FEFF}", " ", "", "🐦"]
    for _ in 0..<500 {
      let width = Int.random(in: 1...4, using: &generator)
      let rows = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
        (0..<width).map { _ in
          (0..<Int.random(in: 0...4, using: &generator)).map { _ in alphabet.randomElement(using: &generator) ?? "" }
            .joined()
        }
      }
      let table = CSVTable(columns: (0..<width).map(String.init), rows: rows)
      let chunk = Int.random(in: 1...7, using: &generator)
      #expect(try records(table.data(), chunk: chunk) == [table.columns] + rows)
    }
  }
}

extension CSVOptions {
  fileprivate func allowing() -> CSVOptions {
    var options = self
    options.allowsUnequalRecords = true
    return options
  }
}
