import CurlewCore
import CurlewSerialization
import CurlewTestSupport
import FoundationEssentials
import Testing

@Suite struct RequestConformanceTests {
  private static let hostile: Parameters = ["a\r\nX: 1": "b\r\n\r\n", "\"; filename=\"x": "\u{1F600}&=#?%00", "": ""]

  @Test func `forms conform`() throws {
    try RequestSerializerConformance(
      .form, type: .formURLEncoded, samples: [["a": 1], Self.hostile, ["a": [true, nil, ["b": 0.5]]]],
      unrepresentable: [.array([1]), "text"]
    ).run()
  }

  @Test func `multipart forms conform`() throws {
    try RequestSerializerConformance(
      MultipartRequestSerializer(), type: .formData, samples: [["a": 1], Self.hostile, ["d": .data(Data([0, 255]))]],
      unrepresentable: [.array([1])]
    ).run()
  }

  @Test func `property lists conform`() throws {
    try RequestSerializerConformance(
      .propertyList, type: .propertyList, samples: [["a": 1, "b": ["c"]]],
      unrepresentable: [["a": nil], ["a": "\u{1}"]]
    ).run()
  }

  @Test func `raw bytes conform`() throws {
    try RequestSerializerConformance(
      .data(.csv), type: .csv, samples: ["a,b", .data(Data([0]))], unrepresentable: [1, [1]]
    ).run()
  }

  private struct Careless: RequestSerializer {
    func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request {
      var request = request
      request.body = .text("\(String(describing: parameters))")
      return request
    }
  }

  @Test func `a serializer that names no type and replaces bodies is found out`() {
    let conformance = RequestSerializerConformance(Careless(), type: .plainText, samples: ["a"])
    #expect(throws: ConformanceFailure.self) { try conformance.run() }
  }
}
