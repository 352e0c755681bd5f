import CurlewJSON
import FoundationEssentials
import Testing

struct EncodingTests {
  private struct Model: Codable, Equatable {
    struct Part: Codable, Equatable { var createdAt: Int? }
    var zText = "é/\n"
    var aFlag = false
    var integers: [Int64] = [.min, 0, .max]
    var unsigned = UInt64.max
    var reals = [0.1, -2, 1e100]
    var single = Float(0.3)
    var amount = Decimal(string: "1234567890123456789.25")
    var date = Date(timeIntervalSinceReferenceDate: 1.5)
    var data = Data([1, 2, 3])
    var link = URL(string: "https://example.org/a")
    var parts = [Part(createdAt: 1), Part(createdAt: nil)]
    var names = ["oneName": 1]
  }

  @Test func `a type is encoded as JSONEncoder does`() throws {
    let value = try JSONValueEncoder().encode(Model())
    #expect(try value == JSONValue(parsing: JSONEncoder().encode(Model())))
    #expect(try JSONDecoder().decode(Model.self, from: value.data()) == Model())
    #expect(try JSONValueDecoder().decode(Model.self, from: value) == Model())
  }

  @Test func `members keep the order in which they are encoded`() throws {
    let names = try JSONValueEncoder().encode(Model()).objectValue.map { Array($0.names) }
    #expect(names?.prefix(3) == ["zText", "aFlag", "integers"])
  }

  @Test func `keys in snake case are those of JSONEncoder, and names in dictionaries are left alone`() throws {
    struct Keys: Encodable {
      var createdAt = 1
      var myURLProperty = 1
      var anURL = 1
      var x = 1
      var aB = 1
      var _hidden = 1
      var dictionary = ["camelCase": 1]
    }
    var ours = JSONValueEncoder()
    ours.keyEncodingStrategy = .convertToSnakeCase
    let theirs = JSONEncoder()
    theirs.keyEncodingStrategy = .convertToSnakeCase
    #expect(try ours.encode(Keys()) == JSONValue(parsing: theirs.encode(Keys())))
  }

  @Test func `dates and floats follow their strategies`() throws {
    var encoder = JSONValueEncoder()
    let date = Date(timeIntervalSince1970: 1_577_836_800)
    encoder.dateEncodingStrategy = .iso8601
    #expect(try encoder.encode([date]) == ["2020-01-01T00:00:00Z"])
    encoder.dateEncodingStrategy = .secondsSince1970
    #expect(try encoder.encode(date) == 1_577_836_800)
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode("custom")
    }
    #expect(try encoder.encode(date) == "custom")
    #expect(throws: EncodingError.self) { try encoder.encode([Double.infinity]) }
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    #expect(try encoder.encode([Double.infinity, -.infinity, .nan]) == ["inf", "-inf", "nan"])
  }

  @Test func `nested containers, super encoders and types that encode nothing`() throws {
    struct Nothing: Encodable { func encode(to encoder: any Encoder) throws {} }
    struct Shape: Encodable {
      enum Keys: String, CodingKey { case inner, list, nothing }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        var inner = container.nestedContainer(keyedBy: Keys.self, forKey: .inner)
        var list = container.nestedUnkeyedContainer(forKey: .list)
        try list.encode(1)
        try inner.encodeNil(forKey: .list)
        try list.encodeNil()
        try container.encode(Nothing(), forKey: .nothing)
        try "up".encode(to: container.superEncoder())
        _ = list.nestedUnkeyedContainer()
      }
    }
    let text = #"{"inner":{"list":null},"list":[1,null,[]],"nothing":{},"super":"up"}"#
    #expect(try JSONValueEncoder().encode(Shape()).text() == text)
    #expect(throws: EncodingError.self) { try JSONValueEncoder().encode(Nothing()) }
  }

  @Test func `a superclass under a key strategy is written as Foundation does, and reads back`() throws {
    class Bird: Codable {
      var wingSpan = 7
    }
    final class Owl: Bird {
      enum Keys: CodingKey { case nightVision }
      override init() { super.init() }
      required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        #expect(try container.decode(Bool.self, forKey: .nightVision))
        try super.init(from: container.superDecoder())
      }
      override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(true, forKey: .nightVision)
        try super.encode(to: container.superEncoder())
      }
    }
    struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }
    let theirs = JSONEncoder()
    var ours = JSONValueEncoder()
    var decoder = JSONValueDecoder()
    let owl = Owl()
    owl.wingSpan = 30
    ours.keyEncodingStrategy = .custom { Key(stringValue: "x-" + ($0.last?.stringValue ?? "")) }
    theirs.keyEncodingStrategy = ours.keyEncodingStrategy
    decoder.keyDecodingStrategy = .custom { Key(stringValue: String(($0.last?.stringValue ?? "").dropFirst(2))) }
    let value = try ours.encode(owl)
    #expect(try value == JSONValue(parsing: theirs.encode(owl)))
    #expect(try decoder.decode(Owl.self, from: value).wingSpan == 30)
    ours.keyEncodingStrategy = .convertToSnakeCase
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    #expect(try decoder.decode(Owl.self, from: ours.encode(owl)).wingSpan == 30)
  }

  @Test func `a type nested deeper than 512 levels is an error`() {
    indirect enum Tree: Encodable {
      case leaf
      case node(Tree)
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        if case .node(let tree) = self { try container.encode(tree) }
      }
    }
    struct Chain: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for _ in 0..<600 { container = container.nestedUnkeyedContainer() }
      }
    }
    func tree(_ depth: Int) -> Tree { (0..<depth).reduce(.leaf) { tree, _ in .node(tree) } }
    #expect(throws: Never.self) { try JSONValueEncoder().encode(tree(500)) }
    #expect(throws: EncodingError.self) { try JSONValueEncoder().encode(tree(600)) }
    #expect(throws: EncodingError.self) { try JSONValueEncoder().encode(Chain()) }
  }
}
