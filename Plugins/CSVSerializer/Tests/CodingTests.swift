import CurlewCSV
import CurlewSerialization
import FoundationEssentials
import Testing

@Suite struct CodingTests {
  struct Bird: Codable, Sendable, Equatable {
    var name: String
    var legs: Int?
    var weight: Double
    var seen: Date
    var isRare: Bool
    var kind = Kind.wader
    var picture = Data([1, 2, 255])
    var page = URL(string: "https://example.org/?a=1,2")
    var number: UInt64 = .max
    var count: Int128 = .min

    enum Kind: String, Codable { case wader, gull }
  }

  private let birds = [
    Bird(
      name: "Curlew, \"Eurasian\"", legs: nil, weight: 0.1, seen: Date(timeIntervalSince1970: 1_795_000_000),
      isRare: true),
    Bird(name: "é\r\n", legs: -2, weight: 1e300, seen: Date(timeIntervalSince1970: 1.75), isRare: false, kind: .gull),
  ]

  private func decode<Value: Decodable>(
    _ text: String, _ type: Value.Type, _ options: CSVOptions = CSVOptions()
  ) throws -> Value {
    try CSVDecoder(options: options).decode(type, from: Data(text.utf8))
  }

  @Test func `no column and no type gets text with more than 1,024 combining marks in a row`() throws {
    let text = "a" + String(repeating: "\u{301}\u{316}", count: 1_000)
    let error = #expect(throws: CSVError.self) { try decode("a,\(text)\n1,2", [[String: Int]].self) }
    #expect(error?.kind == .tooManyMarks && error?.position.column == 3)
    #expect(throws: CSVError.self) { try decode("a\n\(text)", [[String: String]].self) }
    #expect(try CSVTable(parsing: Data("a\n\(text)".utf8)).rows.count == 1)
  }

  @Test func `a row without fields is not dropped`() throws {
    let table = CSVTable(columns: ["a"], rows: [[], ["1"]])
    #expect(table.data() == Data("a\r\n\"\"\r\n1\r\n".utf8))
    #expect(try CSVTable(parsing: table.data()).rows == [[""], ["1"]])
  }

  private var headless: CSVOptions {
    var options = CSVOptions()
    options.hasHeader = false
    return options
  }

  @Test func `values are read as they were written`() throws {
    let bytes = try CSVEncoder().encode(birds)
    #expect(try CSVDecoder().decode([Bird].self, from: bytes) == birds)
    #expect(
      String(decoding: bytes, as: UTF8.self).hasPrefix(
        "name,weight,seen,isRare,kind,picture,page,number,count,legs\r\n"))
    let ordered = CSVEncoder(columns: [
      "legs", "name", "weight", "seen", "isRare", "kind", "picture", "page", "number", "count",
    ])
    #expect(try CSVDecoder().decode([Bird].self, from: ordered.encode(birds)) == birds)
    #expect(try CSVDecoder().decode([Bird].self, from: CSVEncoder().encode(birds[0])) == [birds[0]])
  }

  @Test func `columns are found by name, and unknown ones are ignored`() throws {
    #expect(try decode("x,b,a\n9,2,1\n", [[String: Int]].self) == [["x": 9, "b": 2, "a": 1]])
    struct Row: Decodable, Equatable {
      var a: Int
      var c: Int?
    }
    #expect(try decode("x,b,a\n9,2,1\n", [Row].self) == [Row(a: 1, c: nil)])
  }

  @Test func `rows are arrays, and single values where there is one column`() throws {
    #expect(try decode("1,2\n3,\n", [[Int?]].self, headless) == [[1, 2], [3, nil]])
    #expect(try decode("n\n1\n2\n", [Int].self) == [1, 2])
    #expect(try decode("", [Bird].self) == [])
    #expect(try decode("name,legs\n", [Bird].self) == [])
    #expect(try CSVEncoder(options: headless).encode([[1, 2], [3, 4]]) == Data("1,2\r\n3,4\r\n".utf8))
  }

  @Test(arguments: [
    ("name,legs\nCurlew,2\nGull,\"t\nwo\"\n", 3, 6),
    ("name,legs\n\"Cur\nlew\",2.5\n", 3, 6),
    ("name\nCurlew\n", 2, 1),
    ("name,legs\nCurlew,99999999999999999999\n", 2, 8),
  ])
  func `a field of the wrong type is reported with its place`(text: String, line: Int, column: Int) throws {
    struct Row: Decodable {
      var name: String
      var legs: Int
    }
    let error = try #require(throws: CSVError.self) { try decode(text, [Row].self) }
    #expect(error.kind == .invalidValue && error.underlyingError != nil)
    #expect(error.line == line && error.column == column, "\(error)")
  }

  @Test func `numbers are read whole or not at all`() throws {
    #expect(try decode("n\n12.50\n", [Decimal].self) == [Decimal(string: "12.5")])
    for text in ["12,5", "12abc", "", "0x10", "١"] {
      #expect(throws: CSVError.self) { try decode("n\n\"\(text)\"\n", [Decimal].self) }
      #expect(throws: CSVError.self) { try decode("n\n\"\(text)\"\n", [Int].self) }
    }
  }

  @Test func `a number that does not fit is refused, and infinity is read where it stands`() throws {
    for text in ["1e400", "-1e400", "0x7ff"] {
      #expect(throws: CSVError.self) { try decode("n\n\(text)\n", [Double].self) }
    }
    #expect(throws: CSVError.self) { try decode("n\n1e39\n", [Float].self) }
    #expect(try decode("n\n1e39\n-inf\n", [Double].self) == [1e39, -.infinity])
  }

  @Test func `columns of the same name are refused where fields are found by name`() throws {
    let error = try #require(throws: CSVError.self) { try decode("a,b,a\n1,2,3\n", [[String: Int]].self) }
    #expect(error.kind == .duplicateColumn && error.column == 5)
    #expect(try CSVTable(parsing: Data("a,b,a\n1,2,3\n".utf8)).rows == [["1", "2", "3"]])
  }

  @Test func `what is not an array is refused`() {
    #expect(throws: DecodingError.self) { try decode("a\n1\n", [String: Int].self) }
    #expect(throws: DecodingError.self) { try decode("a\n1\n", Int.self) }
    #expect(throws: CSVError.self) { try decode("a\n1\n", [[String: [Int]]].self) }
    #expect(throws: CSVError.self) { try decode("a,b\n1,2\n", [Int].self) }
  }

  @Test(
    arguments: [
      [["a": ["b": 1]]], [["a": [1]]], "text", 1, [1], [[]], [[:]], [["a": 1], [1]], [[1], ["a": 1]], [[1, 2], [3]],
    ] as [Parameters])
  func `what is no table is refused with its path`(parameters: Parameters) throws {
    let error = try #require(throws: ParametersError.self) { try CSVEncoder().data(parameters) }
    #expect(error.kind == .unrepresentable)
  }

  @Test func `stated columns have their order, and no others are written`() throws {
    let encoder = CSVEncoder(columns: ["b", "a"])
    #expect(try encoder.data([["a": 1, "b": 2], ["a": 3]]) == Data("b,a\r\n2,1\r\n,3\r\n".utf8))
    let error = try #require(throws: ParametersError.self) { try encoder.data([["a": 1], ["c": 2]]) }
    #expect(error.path == ["1", "c"])
  }

  @Test func `columns of later rows are empty in earlier ones`() throws {
    #expect(try CSVEncoder().data([["a": 1], ["b": 2, "a": nil]]) == Data("a,b\r\n1,\r\n,2\r\n".utf8))
  }
}
