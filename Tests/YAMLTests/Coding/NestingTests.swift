import CurlewYAML
import FoundationEssentials
import Testing

/// Types that ask twice for the container of one key.
@Suite struct NestingTests {
  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ text: String) { stringValue = text }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  private struct Twice: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      for round in 1...2 {
        var nested = container.nestedContainer(keyedBy: Key.self, forKey: Key("part"))
        try nested.encode(round, forKey: Key("round\(round)"))
        var list = container.nestedUnkeyedContainer(forKey: Key("list"))
        try list.encode(round)
      }
    }
  }

  @Test func `containers of one key are one container`() throws {
    let value = try YAMLValueEncoder().encode(Twice())
    #expect(value == .mapping(["part": .mapping(["round1": 1, "round2": 2]), "list": [1, 2]]))
  }

  @Test func `dates are Gregorian throughout, and none is written that is not`() throws {
    #expect(try YAMLValueEncoder().encode(Date(timeIntervalSince1970: -62_135_596_800)) == "0001-01-01T00:00:00Z")
    for seconds in [Double.nan, .infinity, 1e300, 253_402_300_800] {
      #expect(throws: EncodingError.self) { try YAMLValueEncoder().encode(Date(timeIntervalSince1970: seconds)) }
    }
  }
}
