#if Protobuf
import CurlewCore
import CurlewProtobuf
import CurlewSerialization
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import SwiftProtobuf
import Testing

@Suite struct SerializerTests {
  private var bird: Bird {
    .with {
      $0.name = "é"
      $0.legs = 2
      $0.picture = Data([1, 255])
      $0.tags = ["wader", ""]
      $0.counts = ["b": 2, "a": .min]
      $0.seen = Google_Protobuf_Timestamp(seconds: 1_363_896_240)
      $0.kind = .wader
      $0.parent = .with { $0.name = "parent" }
    }
  }

  private func bytes(_ request: Request) throws -> Data {
    guard case .bytes(let bytes) = request.body.source else {
      throw ConformanceFailure("There are no bytes.", rule: "bytes")
    }
    return bytes
  }

  @Test func `the response serializer conforms`() throws {
    let malformed = [Data([0xFF]), Data([0x0A, 0x05, 0x61]), Data([0x0A, 0x01, 0xFF]), Data([0x07])]
    try SerializerConformance(
      .protobuf(Bird.self), type: .protobuf, samples: [bird.serializedBytes()], malformed: malformed
    ).run()
  }

  @Test func `the request serializer conforms`() throws {
    try RequestSerializerConformance(
      .protobuf(Bird.self), type: .protobuf,
      samples: [["name": "Curlew", "legs": 2], ["tags": ["a"], "parent": ["name": "é"]]],
      unrepresentable: [["nmae": "Curlew"], ["legs": "two"], ["legs": 2_147_483_648], [1], "text"]
    ).run()
  }

  @Test func `parameters are the message's JSON form`() throws {
    let parameters: Parameters = [
      "name": "é", "legs": 2, "picture": .data(Data([1, 255])), "tags": ["wader", ""],
      "counts": ["b": 2, "a": .integer(Int128(Int64.min))],
      "seen": .date(Date(timeIntervalSince1970: 1_363_896_240)), "kind": "KIND_WADER", "parent": ["name": "parent"],
    ]
    let request = try ProtobufRequestSerializer(Bird.self).request(Request(.post, "http://h/"), parameters)
    #expect(try Bird(serializedBytes: bytes(request)) == bird)
    #expect(request.headerFields[.contentType] == "application/protobuf")
    var lenient = ProtobufRequestSerializer(Bird.self)
    lenient.ignoresUnknownNames = true
    #expect(try bytes(lenient.request(Request(.post, "http://h/"), ["nmae": 1])).isEmpty)
  }

  @Test func `a message is a body that is the same each time`() throws {
    guard case .bytes(let first) = try Body.protobuf(bird).source else { return #expect(Bool(false)) }
    #expect(try Bird(serializedBytes: first) == bird)
    for _ in 0..<20 {
      guard case .bytes(let again) = try Body.protobuf(bird).source else { return #expect(Bool(false)) }
      #expect(again == first)
    }
  }

  @Test func `messages nested deeper than the limit are refused`() throws {
    let deep = (0..<150).reduce(Bird()) { inner, _ in .with { $0.parent = inner } }
    let body: Data = try deep.serializedBytes()
    let error = try #require(throws: NetworkError.self) {
      try ProtobufResponseSerializer(Bird.self).output(of: nil, body)
    }
    #expect(error.kind == .serializationFailed)
    var options = BinaryDecodingOptions()
    options.messageDepthLimit = 200
    #expect(try ProtobufResponseSerializer(Bird.self, options: options).output(of: nil, body) == deep)
  }

  @Test(arguments: ["application/protobuf", "application/x-protobuf", "application/vnd.google.protobuf"])
  func `a message is known by each of its types`(type: String) throws {
    var fields = HTTPFields()
    fields[.contentType] = type
    let url = try #require(URL(string: "http://h/"))
    let head = ResponseHead(url: url, status: .ok, headerFields: fields)
    #expect(try ProtobufResponseSerializer(Bird.self).output(of: head, bird.serializedBytes()) == bird)
  }
}
#endif
