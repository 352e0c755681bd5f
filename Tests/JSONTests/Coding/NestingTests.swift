import CurlewJSON
import FoundationEssentials
import Testing

/// Types that ask twice for the container of one key, with Foundation's encoder as the judge.
@Suite struct NestingTests {
  struct Twice: Encodable {
    var members = 3

    func encode(to encoder: any Encoder) throws {
      typealias Key = SnakeCaseTests.Key
      var container = encoder.container(keyedBy: Key.self)
      for round in 0..<2 {
        for member in 0..<members {
          var nested = container.nestedContainer(keyedBy: Key.self, forKey: Key("part\(member)"))
          try nested.encode(round, forKey: Key("round\(round)"))
          var deep = nested.nestedContainer(keyedBy: Key.self, forKey: Key("deep"))
          try deep.encode(round, forKey: Key("round\(round)"))
          var list = container.nestedUnkeyedContainer(forKey: Key("list\(member)"))
          try list.encode(round)
        }
      }
      try container.encode("old", forKey: Key("text"))
      try container.encode("new", forKey: Key("text"))
      // Two names, however Swift compares them.
      var composed = container.nestedContainer(keyedBy: Key.self, forKey: Key("\u{E9}"))
      try composed.encode(1, forKey: Key("a"))
      var again = container.nestedContainer(keyedBy: Key.self, forKey: Key("\u{E9}"))
      try again.encode(2, forKey: Key("b"))
    }
  }

  @Test(arguments: [1, 3, 40]) func `containers of one key are one container`(members: Int) throws {
    let value = Twice(members: members)
    #expect(try JSONValueEncoder().encode(value) == JSONValue(parsing: JSONEncoder().encode(value)))
  }

  @Test func `names that differ in their bytes alone keep a container each`() throws {
    struct Both: Encodable {
      func encode(to encoder: any Encoder) throws {
        typealias Key = SnakeCaseTests.Key
        var container = encoder.container(keyedBy: Key.self)
        for name in ["\u{E9}", "e\u{301}"] {
          var nested = container.nestedContainer(keyedBy: Key.self, forKey: Key(name))
          try nested.encode(1, forKey: Key("a"))
        }
      }
    }
    #expect(try JSONValueEncoder().encode(Both()).objectValue?.count == 2)
  }

  @Test func `dates are Gregorian throughout, and none is written that is not`() throws {
    var encoder = JSONValueEncoder()
    encoder.dateEncodingStrategy = .iso8601
    var decoder = JSONValueDecoder()
    decoder.dateDecodingStrategy = .iso8601
    for seconds in [-62_135_596_800.0, -12_219_292_801, -12_219_292_800, 0, 253_402_300_799] {
      let date = Date(timeIntervalSince1970: seconds)
      #expect(try decoder.decode(Date.self, from: encoder.encode(date)) == date)
    }
    #expect(try encoder.encode(Date(timeIntervalSince1970: -62_135_596_800)) == "0001-01-01T00:00:00Z")
    for seconds in [Double.nan, .infinity, 1e300, -1e300, 253_402_300_800] {
      #expect(throws: EncodingError.self) { try encoder.encode(Date(timeIntervalSince1970: seconds)) }
    }
  }

  @Test func `an escape behind half a pair is read for itself`() throws {
    var options = JSONParsingOptions()
    options.loneSurrogates = .replace
    for (text, wanted) in [
      (#""\ud800\ue000""#, "\u{FFFD}\u{E000}"), (#""\udbff\uffff""#, "\u{FFFD}\u{FFFF}"),
      (#""\ud800\ud7ff""#, "\u{FFFD}\u{D7FF}"), (#""\ud800\udbff""#, "\u{FFFD}\u{FFFD}"),
      (#""\ud800\udc00""#, "\u{10000}"), (#""\udbff\udfff""#, "\u{10FFFF}"),
    ] {
      let value = try JSONValue(parsing: text, options: options)
      #expect(value.stringValue.map { Array($0.unicodeScalars) } == Array(wanted.unicodeScalars), "\(text)")
    }
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: #""\ud800\ue000""#) }
    #expect(error?.kind == .loneSurrogate)
  }

  @Test(arguments: [
    ("[1 2]", "line 1, column 4: expected `,` or `]` after an element of an array, found `2`"),
    ("[1}", "line 1, column 3: expected `,` or `]` after an element of an array, found `}`"),
    (#"{"a":1]"#, "line 1, column 7: expected `,` or `}` after a member of an object, found `]`"),
    (#"{"a" 1}"#, "line 1, column 6: expected `:` after the name of a member, found `1`"),
    ("{a:1}", "line 1, column 2: expected the name of a member in double quotes, found `a`"),
    ("[\u{A0}1]", "line 1, column 2: expected a value, found U+00A0"),
    ("truE", "line 1, column 4: expected a value, such as true, false or null, found `E`"),
    ("1 2", "line 1, column 3: expected the end of the document after its value"),
  ])
  func `a message says what was expected and what was found`(text: String, message: String) throws {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    #expect(error?.description == message)
  }
}
