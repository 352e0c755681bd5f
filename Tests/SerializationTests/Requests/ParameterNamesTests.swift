import CurlewSerialization
import FoundationEssentials
import Testing

/// Names and dates of parameters that are kept as they are.
@Suite struct ParameterNamesTests {
  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ text: String) { stringValue = text }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  @Test func `names that differ in their bytes alone are two`() throws {
    struct Both: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: Key("\u{E9}"))
        try container.encode(2, forKey: Key("e\u{301}"))
      }
    }
    #expect(try Parameters(encoding: Both()) == .object([.init("\u{E9}", 1), .init("e\u{301}", 2)]))
  }

  @Test func `containers of one key are one, and a value replaces the one before`() throws {
    struct Twice: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for round in 1...2 {
          var nested = container.nestedContainer(keyedBy: Key.self, forKey: Key("part"))
          try nested.encode(round, forKey: Key("round\(round)"))
          try container.encode(["value\(round)": round], forKey: Key("text"))
        }
      }
    }
    #expect(
      try Parameters(encoding: Twice())
        == .object([.init("part", ["round1": 1, "round2": 2]), .init("text", ["value2": 2])]))
  }

  @Test func `a null with an empty name leaves its sign`() throws {
    #expect(try QueryEncoding().string(["": nil, "a": 1]) == "=&a=1")
    #expect(try QueryEncoding().string(["": 2, "a": 1]) == "=2&a=1")
  }

  @Test func `dates are Gregorian throughout`() throws {
    let old = Parameters.date(Date(timeIntervalSince1970: -62_135_596_800))
    var encoding = QueryEncoding()
    #expect(try encoding.string(["d": old]) == "d=0001-01-01T00%3A00%3A00Z")
    encoding.dates = .description
    #expect(try encoding.string(["d": old]) == "d=0001-01-01%2000%3A00%3A00%20%2B0000")
    let now = Date(timeIntervalSince1970: 1_700_000_000.75)
    let escaped = now.description.split(separator: " ").joined(separator: "%20").split(separator: ":").joined(
      separator: "%3A")
    #expect(try encoding.string(["d": .date(now)]) == "d=" + escaped.split(separator: "+").joined(separator: "%2B"))
  }
}
