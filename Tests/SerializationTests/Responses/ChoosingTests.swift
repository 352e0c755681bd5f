import CurlewCore
import CurlewSerialization
import FoundationEssentials
import HTTPTypes
import Testing

/// Says its name when asked.
private struct Named: ResponseSerializer {
  var name: String
  var validation: ResponseValidation
  init(_ name: String, _ types: [MediaType]? = nil, statuses: Set<Int>? = ResponseValidation.successful) {
    self.name = name
    validation = ResponseValidation(statuses: statuses, mediaTypes: types)
  }
  func serialize(_ head: ResponseHead?, _ body: Data) throws -> String { name }
}

@Suite struct ChoosingTests {
  @Test func `a compound asks members of any type, and the first that takes the response decides`() throws {
    let compound = CompoundResponseSerializer<String>([
      Named("image", [.png]), BracesSerializer(), Named("text", [.plainText]),
    ])
    #expect(try compound.output(of: makeHead(type: "text/plain"), Data("x".utf8)) == "text")
    #expect(try compound.output(of: makeHead(type: "application/json"), Data("{".utf8)) == "{")
    let malformed = try #require(throws: NetworkError.self) {
      try compound.output(of: makeHead(type: "application/json"), Data("x".utf8))
    }
    #expect(malformed.kind == .serializationFailed)
    let refused = try #require(throws: NetworkError.self) {
      try compound.output(of: makeHead(type: "text/html"), Data("x".utf8))
    }
    #expect(refused.kind == .unacceptableContentType)
  }

  @Test func `a compound reports the member that had nothing against the type`() throws {
    let compound = CompoundResponseSerializer<String>([Named("json", [.json]), Named("image", [.png])])
    let error = try #require(throws: NetworkError.self) {
      try compound.output(of: makeHead(503, type: "application/json"), Data("{}".utf8))
    }
    #expect(error.kind == .unacceptableStatus)
    #expect(error.details.underlying == nil)
  }

  @Test func `a compound without members is an error`() throws {
    let compound = CompoundResponseSerializer<String>([])
    #expect(
      try #require(throws: NetworkError.self) { try compound.output(of: makeHead(), Data()) }.kind
        == .serializationFailed)
  }
}
