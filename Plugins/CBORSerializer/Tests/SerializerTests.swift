import CurlewCBOR
import CurlewCore
import CurlewSerialization
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct SerializerTests {
  private struct Bird: Codable, Sendable, Equatable {
    var name: String
    var legs: Int?
  }

  private func head(_ type: String) throws -> ResponseHead {
    var fields = HTTPFields()
    fields[.contentType] = type
    let url = try #require(URL(string: "http://h/"))
    return ResponseHead(url: url, status: .ok, headerFields: fields)
  }

  @Test func `the response serializers conform`() throws {
    let samples = [try CBOREncoder().encode(Bird(name: "é", legs: 2))]
    let malformed = [Data([0xFF]), Data([0xA1, 0x61]), Data([0x00, 0x00]), Data([0x62, 0xC3, 0x28])]
    try SerializerConformance(.cbor(Bird.self), type: .cbor, samples: samples, malformed: malformed).run()
    try SerializerConformance(.cborValue, type: .cbor, samples: samples, malformed: malformed).run()
    let coding = CodingResponseSerializer(Bird.self, by: .cbor)
    try SerializerConformance(coding, type: .cbor, samples: samples, malformed: malformed).run()
  }

  @Test func `the request serializer conforms`() throws {
    let samples: [Parameters] = [
      ["name": "Curlew", "legs": [2, nil, 2.5, .data(Data([1])), .date(Date(timeIntervalSince1970: 0))]]
    ]
    try RequestSerializerConformance(.cbor, type: .cbor, samples: samples).run()
    let deterministic = CBORRequestSerializer(encoder: CBOREncoder(format: .deterministic))
    try RequestSerializerConformance(deterministic, type: .cbor, samples: samples).run()
  }

  @Test func `values keep what parameters cannot express`() throws {
    let request = try CBORRequestSerializer.cbor.request(Request(.put, "http://h/"), encoding: [1: Float(0.1)])
    guard case .bytes(let bytes) = request.body.source else { return #expect(Bool(false)) }
    #expect(bytes == Data(hex: "a101fa3dcccccd"))
    #expect(request.headerFields[.contentType] == "application/cbor")
  }

  @Test func `a session's formats know CBOR by name, type, suffix and first bytes`() throws {
    var formats = FormatRegistry([.cbor])
    #expect(formats["cbor"] is CBORCoding && formats.accept == "application/cbor")
    let byType = CodingResponseSerializer(CBORValue.self, by: formats)
    #expect(try byType.output(of: head("application/senml+cbor"), Data([0x01])) == 1)
    formats.sniffs = true
    let sniffing = CodingResponseSerializer(CBORValue.self, by: formats)
    let marked = Data([0xD9, 0xD9, 0xF7, 0x01])
    #expect(try sniffing.output(of: head("text/plain"), marked) == .tagged(55799, 1))
  }
}
