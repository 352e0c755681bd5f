import CurlewXML
import FoundationEssentials
import Testing

/// Types that ask twice for the container of one key, as a class and its superclass may.
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
      var first = container.nestedContainer(keyedBy: Key.self, forKey: Key("part"))
      try first.encode(1, forKey: Key("a"))
      var list = container.nestedUnkeyedContainer(forKey: Key("list"))
      try list.encode("x")
      var second = container.nestedContainer(keyedBy: Key.self, forKey: Key("part"))
      try second.encode(2, forKey: Key("b"))
      var more = container.nestedUnkeyedContainer(forKey: Key("list"))
      try more.encode("y")
      try container.encode("old", forKey: Key("text"))
      try container.encode("new", forKey: Key("text"))
    }
  }

  @Test func `containers of one key are one element, and a value replaces the one before`() throws {
    let text = String(decoding: try XMLEncoder().data(Twice(), rootName: "r"), as: UTF8.self)
    #expect(
      text.hasSuffix("<r><part><a>1</a><b>2</b></part><list>x</list><list>y</list><text>new</text></r>"), "\(text)")
  }

  @Test func `dates are Gregorian throughout, and none is written that is not`() throws {
    let old = Date(timeIntervalSince1970: -62_135_596_800)
    let text = String(decoding: try XMLEncoder().data(["d": old], rootName: "r"), as: UTF8.self)
    #expect(text.contains("<d>0001-01-01T00:00:00Z</d>"))
    for seconds in [Double.nan, .infinity, 1e300, -1e300, 253_402_300_800] {
      let date = Date(timeIntervalSince1970: seconds)
      #expect(throws: EncodingError.self) { try XMLEncoder().data(["d": date], rootName: "r") }
    }
  }
}
