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

  @Test(arguments: [
    ("application/json", "json"), ("application/problem+json", "json"), ("application/vnd.x+json", "vendor"),
    ("image/png", "png"), ("image/gif", "image"), ("text/html; charset=utf-8", "any"),
  ])
  func `the registry finds the closest match`(type: String, name: String) throws {
    let registry = SerializerRegistry()
    registry.register(Named("vendor"), for: [try #require(MediaType("application/vnd.x+json"))])
    registry.register(Named("png"), for: [.png])
    registry.register(Named("json"), for: [.json])
    registry.register(Named("image"), for: [try #require(MediaType("image/*"))])
    registry.register(Named("any"), for: [.any])
    #expect(try registry.output(of: makeHead(type: type), Data("x".utf8)) as? String == name)
  }

  @Test func `between equals the newest registration answers, until it is taken back`() throws {
    let registry = SerializerRegistry()
    registry.register(Named("old"), for: [.json])
    let token = registry.register(Named("new"), for: [.json])
    #expect((registry.serializer(for: .json) as? Named)?.name == "new")
    registry.unregister(token)
    #expect((registry.serializer(for: .json) as? Named)?.name == "old")
  }

  @Test func `first bytes decide only when asked and the type does not`() throws {
    let registry = SerializerRegistry()
    registry.register(Named("brace"), for: [], recognizes: { $0.first == UInt8(ascii: "{") })
    registry.register(Named("html"), for: [.html])
    let head = try makeHead(type: "application/octet-stream")
    let sniffing = AutomaticResponseSerializer(registry, sniffs: true)
    #expect(try sniffing.output(of: head, Data("{".utf8)) as? String == "brace")
    #expect(try sniffing.output(of: makeHead(type: "text/html"), Data("{".utf8)) as? String == "html")
    let error = try #require(throws: NetworkError.self) {
      _ = try AutomaticResponseSerializer(registry).output(of: head, Data("{".utf8))
    }
    #expect(error.kind == .unacceptableContentType)
    #expect(throws: NetworkError.self) { _ = try sniffing.output(of: head, Data("x".utf8)) }
  }
}
