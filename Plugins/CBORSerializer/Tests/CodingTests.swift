import CurlewCBOR
import FoundationEssentials
import Glibc
import Testing

@Suite struct CodingTests {
  struct Bird: Codable, Sendable, Equatable {
    var name = "Curlew"
    var legs: Int? = 2
    var weights: [Float] = [0.1, 1]
    var seen = Date(timeIntervalSince1970: 1_795_000_000.5)
    var picture = Data([1, 255])
    var page = URL(string: "https://example.org/")
    var counts: [String: UInt64] = ["1": .max, "b": 0]
    var big: Int128 = .min
    var kind = Kind.wader
    var parent: [Bird] = []

    enum Kind: String, Codable { case wader }
  }

  /// A type with integer labels, as in COSE and EDHOC.
  struct Labelled: Codable, Equatable {
    var algorithm = -7
    var key = "k"

    enum CodingKeys: Int, CodingKey { case algorithm = 1, key = -2 }
  }

  private func coded<Value: Codable>(_ value: Value, _ encoder: CBOREncoder = CBOREncoder()) throws -> Value {
    try CBORDecoder().decode(Value.self, from: encoder.encode(value))
  }

  @Test func `values are read as they were written`() throws {
    let bird = Bird(parent: [Bird(legs: nil)])
    #expect(try coded(bird) == bird)
    #expect(try coded(bird, CBOREncoder(format: .deterministic)) == bird)
    #expect(try coded([Int8.min, 0, .max]) == [Int8.min, 0, .max])
    #expect(try coded([UInt128.max, 0]) == [UInt128.max, 0])
    #expect(try coded([1: "a", -2: "b"]) == [1: "a", -2: "b"])
    #expect(try coded(Double.infinity) == .infinity)
    #expect(try coded(nil as Int?) == nil)
  }

  @Test func `bytes are the shortest ones`() throws {
    let encoder = CBOREncoder(format: .deterministic)
    #expect(try encoder.encode(Labelled()) == Data(hex: "a20126216 16b"))
    #expect(try encoder.encode(["1": 1]) == Data(hex: "a1613101"))
    #expect(try encoder.encode([1: 1]) == Data(hex: "a10101"))
    #expect(try encoder.encode(Float(0.1)) == Data(hex: "fa3dcccccd"))
    #expect(try encoder.encode(Date(timeIntervalSince1970: 1_363_896_240)) == Data(hex: "c11a514b67b0"))
    var texts = CBOREncoder()
    texts.dateFormat = .text
    let date = Date(timeIntervalSince1970: 1_363_896_240)
    #expect(try texts.encode(date) == Data(hex: "c074323031332d30332d32315432303a30343a30305a"))
    #expect(try coded(date, texts) == date)
    #expect(throws: EncodingError.self) { try texts.encode(Date.distantFuture + 1e13) }
  }

  @Test func `a dictionary keeps each text as a key of its own`() throws {
    let agents = ["007": "Bond", "7": "Seven", "+7": "Plus"]
    let value = try CBOREncoder().value(of: agents)
    guard case .map(let entries) = value else { return #expect(Bool(false), "\(value)") }
    #expect(Set(entries.map(\.key)) == ["007", "7", "+7"])
    #expect(try CBORDecoder().decode([String: String].self, from: value) == agents)
    enum Agent: String, Codable, CodingKeyRepresentable { case bond = "007", seven = "7" }
    let named: [Agent: String] = [.bond: "Bond", .seven: "Seven"]
    #expect(try CBORDecoder().decode([Agent: String].self, from: CBOREncoder().encode(named)) == named)
  }

  @Test(
    arguments: [
      ["1": "text", 1: "integer"], [.bytes(Data([0x31])): "bytes"], ["\u{E9}": "composed", "e\u{301}": "decomposed"],
    ] as [CBORValue])
  func `a dictionary of strings refuses other keys, and two that are the same string`(map: CBORValue) throws {
    #expect(throws: DecodingError.self) { try CBORDecoder().decode([String: String].self, from: map) }
    #expect(throws: DecodingError.self) { try CBORDecoder().decode([Int: String].self, from: map) }
  }

  @Test func `a date has no tag, or the one of its form`() throws {
    let text = CBORValue.text("2026-11-21T08:00:00Z")
    let seconds: CBORValue = 1_795_248_000
    for value in [text, seconds, .tagged(0, text), .tagged(1, seconds), .tagged(1, .float(1_795_248_000))] {
      #expect(try CBORDecoder().decode(Date.self, from: value) == Date(timeIntervalSince1970: 1_795_248_000))
    }
    for value: CBORValue in [.tagged(32, text), .tagged(1, text), .tagged(0, seconds), .tagged(100, seconds)] {
      #expect(throws: DecodingError.self) { try CBORDecoder().decode(Date.self, from: value) }
    }
  }

  @Test func `the coding path of an error names every step`() throws {
    let value: CBORValue = ["a": [0, ["b": "text"]]]
    struct Inner: Decodable { var b: Int }
    struct Outer: Decodable {
      var a: (Int, Inner)
      enum CodingKeys: CodingKey { case a }
      init(from decoder: any Decoder) throws {
        var array = try decoder.container(keyedBy: CodingKeys.self).nestedUnkeyedContainer(forKey: .a)
        a = (try array.decode(Int.self), try array.decode(Inner.self))
      }
    }
    let error = try #require(throws: DecodingError.self) { try CBORDecoder().decode(Outer.self, from: value) }
    guard case .typeMismatch(_, let context) = error else { return #expect(Bool(false), "\(error)") }
    #expect(context.codingPath.map(\.stringValue) == ["a", "Index 1", "b"])
  }

  @Test func `coding keys with an integer are found under it, or under their names`() throws {
    let decoder = CBORDecoder()
    #expect(try decoder.decode(Labelled.self, from: Data(hex: "a20126216 16b")) == Labelled())
    #expect(try decoder.decode(Labelled.self, from: ["algorithm": -7, "key": "k"]) == Labelled())
  }

  @Test func `numbers are converted only without loss`() throws {
    let decoder = CBORDecoder()
    #expect(try decoder.decode(Int.self, from: 2.0) == 2)
    #expect(try decoder.decode(Double.self, from: -3) == -3)
    #expect(try decoder.decode(Int.self, from: .tagged(9, 1)) == 1)
    for (value, type) in [
      (2.5, Int.self), (256, UInt8.self), (-1, UInt.self), (9_007_199_254_740_993, Double.self), (1e300, Float.self),
    ]
      as [(CBORValue, any Decodable.Type)]
    {
      #expect(throws: DecodingError.self) { try decoder.decode(type, from: value) }
    }
    #expect(throws: DecodingError.self) { try decoder.decode(Int64.self, from: CBORValue(Int128.max)) }
  }

  @Test func `an error says where the value is and what was found`() throws {
    let error = try #require(throws: DecodingError.self) {
      try CBORDecoder().decode([String: [Int]].self, from: ["a": [1, "b"]])
    }
    guard case .typeMismatch(_, let context) = error else { return #expect(Bool(false), "\(error)") }
    #expect(context.codingPath.map(\.stringValue) == ["a", "Index 1"])
    #expect(context.debugDescription == "Expected to decode Int but found text instead.")
  }

  @Test func `values of any item can be parts of a type`() throws {
    let value: [String: CBORValue] = ["a": .undefined, "b": [1: .tagged(5, .simple(99))]]
    #expect(try coded(value) == value)
  }

  @Test func `types that nest too deep are refused`() {
    struct Endless: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(Endless())
      }
    }
    struct Handmade: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for _ in 0..<1000 { container = container.nestedUnkeyedContainer() }
      }
    }
    struct Nothing: Encodable { func encode(to encoder: any Encoder) throws {} }
    #expect(throws: EncodingError.self) { try CBOREncoder().encode(Endless()) }
    #expect(throws: EncodingError.self) { try CBOREncoder().encode(Handmade()) }
    #expect(throws: EncodingError.self) { try CBOREncoder().encode(Nothing()) }
  }

  @Test func `nested containers and the encoder of a superclass are read again`() throws {
    class Animal: Codable {
      var age = 1
      init() {}
    }
    final class Owl: Animal {
      var name = "o"
      enum CodingKeys: String, CodingKey { case name, inner, list }
      override init() { super.init() }
      required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let inner = try container.nestedContainer(keyedBy: CodingKeys.self, forKey: .inner)
        name = try inner.decode(String.self, forKey: .name)
        var list = try container.nestedUnkeyedContainer(forKey: .list)
        #expect(try list.decode(Int.self) == 7)
        #expect(try list.decodeNil())
        #expect(list.isAtEnd)
        try super.init(from: container.superDecoder())
      }
      override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        var inner = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .inner)
        try inner.encode(name, forKey: .name)
        var list = container.nestedUnkeyedContainer(forKey: .list)
        try list.encode(7)
        try list.encodeNil()
        try super.encode(to: container.superEncoder())
      }
    }
    let owl = Owl()
    owl.name = "Athena"
    owl.age = 3
    let read = try coded(owl)
    #expect(read.name == "Athena" && read.age == 3)
  }

  /// Items inside `Deep.depth` arrays.
  struct Deep: Decodable {
    static let depth = 300
    var sum = 0

    init(from decoder: any Decoder) throws {
      var array = try decoder.unkeyedContainer()
      for _ in 0..<Self.depth { array = try array.nestedUnkeyedContainer() }
      while !array.isAtEnd { sum += try array.decode(Int.self) }
    }
  }

  @Test func `the elements of deeply nested arrays cost as little as those of others`() throws {
    let elements = CBORValue.array((0..<40_000).map { _ in 1 })
    func seconds<Value: Decodable>(_ type: Value.Type, _ value: CBORValue) throws -> Double {
      func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
      }
      let start = now()
      _ = try CBORDecoder().decode(type, from: value)
      return now() - start
    }
    let flat = try seconds([Int].self, elements)
    let deep = try seconds(Deep.self, (0..<Deep.depth).reduce(elements) { inner, _ in [inner] })
    #expect(deep < 5 * max(flat, 0.01), "\(deep) s instead of \(flat) s")
  }
}
