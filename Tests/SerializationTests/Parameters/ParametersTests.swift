import CurlewCore
import CurlewSerialization
import FoundationEssentials
import Testing

@Suite struct ParametersTests {
  private struct Query: Encodable {
    enum Kind: String, Encodable { case big }
    struct Inner: Encodable { var x: Float }
    var text = "t"
    var count: UInt64 = .max
    var ok = true
    var none: Int?
    var kind = Kind.big
    var list = [Inner(x: 0.1)]
    var map = ["b": 1, "a": 2]
    var tags: Set<Int> = [2]
    var date = Date(timeIntervalSince1970: 0)
    var data = Data([1])
    var url = URL(string: "http://h/")
    var more: Parameters = ["z": nil]
  }

  @Test func `any encodable value becomes parameters`() throws {
    let expected: Parameters = [
      "text": "t", "count": .integer(Int128(UInt64.max)), "ok": true, "kind": "big", "list": [["x": 0.1]],
      "map": ["a": 2, "b": 1], "tags": .set([2]), "date": .date(Date(timeIntervalSince1970: 0)),
      "data": .data(Data([1])),
      "url": "http://h/", "more": ["z": nil],
    ]
    #expect(try Parameters(encoding: Query()) == expected)
  }

  private class Animal: Encodable { var name = "n" }
  private final class Bird: Animal {
    enum Keys: CodingKey { case wings, nested }
    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(2, forKey: .wings)
      try container.encodeNil(forKey: .nested)
      var nested = container.nestedUnkeyedContainer(forKey: .nested)
      try nested.encodeNil()
      try nested.encode(1)
      try super.encode(to: container.superEncoder())
    }
  }

  @Test func `nested containers and super encoders have their place`() throws {
    #expect(try Parameters(encoding: Bird()) == ["wings": 2, "nested": [nil, 1], "super": ["name": "n"]])
    #expect(try Parameters(encoding: [Int]()) == [])
    #expect(try Parameters(encoding: 5) == 5)
    #expect(try Parameters(encoding: Int?.none) == nil)
  }

  private struct Endless: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(Endless())
    }
  }

  private struct EndlessContainers: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for _ in 0..<100_000 { container = container.nestedUnkeyedContainer() }
    }
  }

  @Test func `a value without end is an error`() {
    #expect(throws: EncodingError.self) { try Parameters(encoding: Endless()) }
  }

  @Test func `nested containers without end are an error`() {
    #expect(throws: ParametersError.self) { try Parameters(encoding: EndlessContainers()) }
  }
}
