import CurlewCore
import CurlewJSON
import CurlewSerialization
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct JSONSerializerTests {
  private struct Bird: Codable, Sendable, Equatable {
    var name: String
    var legs: Int?
  }

  private func head(_ status: Int = 200, _ type: String? = "application/json") throws -> ResponseHead {
    var fields = HTTPFields()
    fields[.contentType] = type
    let url = try #require(URL(string: "http://h/"))
    return ResponseHead(url: url, status: HTTPResponse.Status(code: status), headerFields: fields)
  }

  @Test func `the serializers conform`() throws {
    let sample = Data(#"{"name":"é","legs":2}"#.utf8)
    let malformed = [Data("{".utf8), Data("oops".utf8), Data("  ".utf8), Data([0x22, 0xFF, 0x22])]
    try SerializerConformance(.json(Bird.self), type: .json, samples: [sample], malformed: malformed).run()
    try SerializerConformance(.jsonValue, type: .problemJSON, samples: [sample], malformed: malformed).run()
  }

  @Test(arguments: ["", " "]) func `an empty body or one space is nil`(body: String) throws {
    #expect(try JSONValueResponseSerializer().output(of: head(), Data(body.utf8)) == nil)
    #expect(try JSONResponseSerializer(Bird?.self).output(of: head(), Data(body.utf8)) == nil)
    let error = try #require(throws: NetworkError.self) {
      try JSONResponseSerializer(Bird.self).output(of: head(), Data(body.utf8))
    }
    #expect(error.kind == .serializationFailed)
    #expect(try JSONValueResponseSerializer().output(of: head(204, nil), Data()) == nil)
  }

  @Test(arguments: ["application/json", "text/json", "text/javascript", "application/vnd.api+json; charset=UTF-8"])
  func `JSON's types are taken`(type: String) throws {
    #expect(try JSONValueResponseSerializer().output(of: head(200, type), Data("[1]".utf8)) == [1])
  }

  @Test func `what a failing API says is reached through the error`() throws {
    let error = try #require(throws: NetworkError.self) {
      try JSONValueResponseSerializer().output(of: head(404), Data(#"{"e":1}"#.utf8))
    }
    #expect(error.kind == .unacceptableStatus)
    let wanted: JSONValue = ["e": 1]
    #expect(try error.refusedValue(.jsonValue) == wanted)
    let malformed = try #require(throws: NetworkError.self) {
      try JSONValueResponseSerializer().output(of: head(500), Data("oops".utf8))
    }
    #expect(malformed.kind == .unacceptableStatus)
    let cause = try #require(throws: NetworkError.self) { try malformed.refusedValue(.jsonValue) }
    #expect((cause.details.underlying as? JSONError)?.column == 1)
  }

  @Test func `nulls are removed at all levels, in arrays too`() throws {
    let body = Data(#"{"a":null,"b":[null,{"c":null}]}"#.utf8)
    let serializer = JSONValueResponseSerializer(removesNulls: true)
    #expect(try serializer.output(of: head(), body) == ["b": [[:]]])
  }

  @Test func `a charset that the type names is obeyed`() throws {
    let latin = try head(200, "application/json; charset=iso-8859-1")
    #expect(try JSONValueResponseSerializer().output(of: latin, Data([0x22, 0xE9, 0x22])) == "é")
    let unknown = try head(200, "application/json; charset=x-klingon")
    #expect(throws: NetworkError.self) { try JSONValueResponseSerializer().output(of: unknown, Data("1".utf8)) }
  }

  private func text(_ body: Body) -> String? {
    guard case .bytes(let data) = body.source else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  @Test func `parameters are a JSON body, of methods without one a query`() throws {
    let serializer = JSONRequestSerializer()
    let date = Parameters.date(Date(timeIntervalSince1970: 0))
    let request = try serializer.request(Request(.post, "http://h/"), ["b": [1, nil, true], "a": date])
    #expect(text(request.body) == #"{"b":[1,null,true],"a":"1970-01-01T00:00:00Z"}"#)
    #expect(request.headerFields[.contentType] == "application/json")
    #expect(try serializer.request(Request(.get, "http://h/"), ["a": 1]).url.absoluteString == "http://h/?a=1")
    let none = try serializer.request(Request(.post, "http://h/"))
    #expect(none.body.isEmpty && none.headerFields[.contentType] == nil)
  }

  @Test func `an encodable value is a JSON body, and what JSON cannot hold an error`() throws {
    let serializer: any RequestSerializer = JSONRequestSerializer()
    let request = try serializer.request(Request(.put, "http://h/"), encoding: Bird(name: "Curlew", legs: 2))
    #expect(text(request.body) == #"{"name":"Curlew","legs":2}"#)
    let query = try serializer.request(Request(.get, "http://h/"), encoding: Bird(name: "a b"))
    #expect(query.url.absoluteString == "http://h/?name=a%20b")
    let error = try #require(throws: NetworkError.self) {
      try serializer.request(Request(.post, "http://h/"), ["a": .double(.nan)])
    }
    #expect(error.kind == .serializationFailed && error.stage == .preparing)
  }

  @Test func `a session's formats know JSON by type, suffix and first bytes`() throws {
    var formats = FormatRegistry([.json])
    let plain = CodingResponseSerializer(JSONValue.self, by: formats)
    #expect(try plain.output(of: head(200, "application/x+json"), Data("1".utf8)) == 1)
    #expect(throws: NetworkError.self) { try plain.output(of: head(200, "text/plain"), Data("\n[1]".utf8)) }
    formats.sniffs = true
    let sniffing = CodingResponseSerializer(JSONValue.self, by: formats)
    #expect(try sniffing.output(of: head(200, "text/plain"), Data("\n[1]".utf8)) == [1])
  }

  @Test func `JSON requests conform`() throws {
    try RequestSerializerConformance(
      .json, type: .json, samples: [["a": [1, nil, "\u{0}\r\n\""]], [], "text", nil],
      unrepresentable: [.double(.infinity)]
    ).run()
  }
}
