import CurlewCore
import CurlewSerialization
import CurlewTestSupport
import CurlewYAML
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct YAMLSerializerTests {
  private struct Bird: Codable, Sendable, Equatable {
    var name: String
    var legs: Int?
  }

  private func head(_ status: Int = 200, _ type: String? = "application/yaml") throws -> ResponseHead {
    var fields = HTTPFields()
    fields[.contentType] = type
    let url = try #require(URL(string: "http://h/"))
    return ResponseHead(url: url, status: HTTPResponse.Status(code: status), headerFields: fields)
  }

  @Test func `the serializers conform`() throws {
    let sample = Data("name: é\nlegs: 2\n".utf8)
    let malformed = [Data("{".utf8), Data("a: b: c".utf8), Data([0x22, 0xFF, 0x22]), Data("a: 1\na: 2".utf8)]
    try SerializerConformance(.yaml(Bird.self), type: .yaml, samples: [sample], malformed: malformed).run()
    try SerializerConformance(.yamlValue, type: .yaml, samples: [sample], malformed: malformed).run()
    try SerializerConformance(.yamlDocuments, type: .yaml, samples: [sample], malformed: malformed).run()
  }

  @Test func `a body without a document is nil`() throws {
    for body in ["", " ", "# nothing\n"] {
      #expect(try YAMLValueResponseSerializer().output(of: head(), Data(body.utf8)) == nil)
      #expect(try YAMLResponseSerializer(Bird?.self).output(of: head(), Data(body.utf8)) == nil)
      #expect(try YAMLDocumentsResponseSerializer().output(of: head(), Data(body.utf8)) == [])
    }
    let error = try #require(throws: NetworkError.self) {
      try YAMLResponseSerializer(Bird.self).output(of: head(), Data())
    }
    #expect(error.kind == .serializationFailed)
  }

  @Test(arguments: [
    "application/yaml", "application/x-yaml", "text/yaml; charset=utf-8", "text/x-yaml", "application/openapi+yaml",
  ])
  func `YAML's types are taken`(type: String) throws {
    #expect(try YAMLValueResponseSerializer().output(of: head(200, type), Data("[1]".utf8)) == [1])
  }

  @Test func `other types are not`() throws {
    let error = try #require(throws: NetworkError.self) {
      try YAMLValueResponseSerializer().output(of: head(200, "text/html"), Data("[1]".utf8))
    }
    #expect(error.kind == .unacceptableContentType)
  }

  @Test func `a second document is an error, or an element where all are wanted`() throws {
    let body = Data("a\n--- b\n".utf8)
    let error = try #require(throws: NetworkError.self) { try YAMLValueResponseSerializer().output(of: head(), body) }
    #expect((error.details.underlying as? YAMLError)?.line == 2)
    #expect(try YAMLDocumentsResponseSerializer().output(of: head(), body) == ["a", "b"])
  }

  @Test func `a charset that the type names is obeyed`() throws {
    let latin = try head(200, "text/yaml; charset=iso-8859-1")
    #expect(try YAMLValueResponseSerializer().output(of: latin, Data([0xE9])) == "é")
    let wide = try head(200, "application/yaml")
    #expect(try YAMLValueResponseSerializer().output(of: wide, Data([0xFF, 0xFE, 0x61, 0])) == "a")
  }

  @Test func `parameters and values are a YAML body, of methods without one a query`() throws {
    let serializer: any RequestSerializer = .yaml
    let request = try serializer.request(Request(.post, "http://h/"), ["b": [1, nil, true], "a": "no"])
    guard case .bytes(let data) = request.body.source else { return #expect(Bool(false)) }
    #expect(String(decoding: data, as: UTF8.self) == "b:\n  - 1\n  - null\n  - true\na: 'no'\n")
    #expect(request.headerFields[.contentType] == "application/yaml")
    #expect(try serializer.request(Request(.get, "http://h/"), ["a": 1]).url.absoluteString == "http://h/?a=1")
    let encoded = try serializer.request(Request(.put, "http://h/"), encoding: Bird(name: "Curlew", legs: 2))
    guard case .bytes(let text) = encoded.body.source else { return #expect(Bool(false)) }
    #expect(String(decoding: text, as: UTF8.self) == "name: Curlew\nlegs: 2\n")
  }

  @Test func `a session's formats know YAML by type, suffix and first bytes`() throws {
    var formats = FormatRegistry([.yaml])
    #expect(try read(YAMLValue.self, formats, head(200, "application/x+yaml"), "1") == 1)
    formats.sniffs = true
    #expect(try read(YAMLValue.self, formats, head(200, "text/plain"), "---\n- 1") == [1])
    #expect(throws: NetworkError.self) { try read(YAMLValue.self, formats, head(200, "text/plain"), "1") }
    let written = try formats["yaml"]?.encode(Bird(name: "Curlew", legs: 2))
    #expect(written.map { String(decoding: $0, as: UTF8.self) } == "name: Curlew\nlegs: 2\n")
  }

  private func read<Value: Decodable & Sendable>(
    _ type: Value.Type, _ formats: FormatRegistry, _ head: ResponseHead, _ text: String
  ) throws -> Value {
    try CodingResponseSerializer(type, by: formats).output(of: head, Data(text.utf8))
  }
}
