import CurlewCore
import CurlewSerialization
import CurlewTestSupport
import FoundationEssentials
import Testing

@Suite struct ConformanceTests {
  @Test func `data conforms`() throws {
    try SerializerConformance(.data, type: .octetStream, samples: [Data([0, 255])], malformed: []).run()
  }

  @Test func `text conforms`() throws {
    let malformed = Data([0xFF])
    try SerializerConformance(.string, type: .plainText, samples: [Data("é".utf8)], malformed: [malformed]).run()
  }

  @Test func `property lists conform, dynamic and typed`() throws {
    let list = PropertyList.array([.string("é"), .integer(-1)])
    let malformed = [Data("x".utf8), Data("bplist00".utf8)]
    for format in PropertyList.Format.allCases {
      let sample = try list.data(format)
      try SerializerConformance(.propertyList, type: .propertyList, samples: [sample], malformed: malformed).run()
    }
    let texts = try PropertyList.array([.string("a")]).data()
    try SerializerConformance(
      .propertyList([String].self), type: .propertyList, samples: [texts], malformed: malformed + [try list.data()]
    ).run()
  }

  @Test func `a compound conforms through its members`() throws {
    let compound = CompoundResponseSerializer<Int>([
      StringResponseSerializer(validation: ResponseValidation(mediaTypes: [.plainText])).map { $0.count },
      PropertyListResponseSerializer().map { list in if case .integer(let number)? = list { Int(number) } else { 0 } },
    ])
    try SerializerConformance(
      compound, type: .plainText, samples: [Data("abc".utf8)], malformed: [Data([0xFF])]
    ).run()
    let list = try PropertyList.integer(7).data(.binary)
    try SerializerConformance(
      compound, type: .propertyList, samples: [list], malformed: [Data("x".utf8)]
    ).run()
  }

  @Test func `a mapped serializer conforms`() throws {
    let mapped = StringResponseSerializer().map { $0.count }
    try SerializerConformance(mapped, type: .plainText, samples: [Data("abc".utf8)], malformed: [Data([0xFF])]).run()
  }

  private struct Careless: ResponseSerializer {
    var validation = ResponseValidation(mediaTypes: [.any])
    func serialize(_ head: ResponseHead?, _ body: Data) throws -> UInt8 { body.first ?? 0 }
  }

  @Test func `a serializer that refuses nothing malformed is found out`() {
    let conformance = SerializerConformance(
      Careless(), type: .octetStream, samples: [Data([1])], malformed: [Data([2])])
    #expect(throws: ConformanceFailure.self) { try conformance.run() }
  }
}
