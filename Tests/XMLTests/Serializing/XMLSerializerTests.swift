import CurlewCore
import CurlewSerialization
import CurlewTestSupport
import CurlewXML
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct XMLSerializerTests {
  private func head(_ type: String?) throws -> ResponseHead {
    var fields = HTTPFields()
    fields[.contentType] = type
    let url = try #require(URL(string: "http://h/"))
    return ResponseHead(url: url, status: .ok, headerFields: fields)
  }

  @Test func `the document serializer conforms`() throws {
    let malformed = [Data("<a>".utf8), Data("oops".utf8), Data(), Data("<a/>\0".utf8)]
    try SerializerConformance(.xmlDocument, type: .xml, samples: [Data("<a b='c'>é</a>".utf8)], malformed: malformed)
      .run()
  }

  private struct Bird: Codable, Sendable, Equatable {
    var name: String
    var legs: Int?
  }

  @Test func `the value serializer conforms, and reads what the request serializer writes`() throws {
    let sample = Data("<b><name>é</name><legs>2</legs></b>".utf8)
    try SerializerConformance(.xml(Bird.self), type: .textXML, samples: [sample], malformed: [Data("<b/>".utf8)]).run()
    let serializer: any RequestSerializer = XMLRequestSerializer(rootName: "bird")
    let request = try serializer.request(Request(.post, "http://h/"), encoding: Bird(name: "<", legs: 2))
    #expect(request.headerFields[.contentType] == "application/xml")
    guard case .bytes(let data) = request.body.source else {
      Issue.record("no bytes")
      return
    }
    #expect(try XMLResponseSerializer(Bird.self).serialize(nil, data) == Bird(name: "<", legs: 2))
    let parameters = try serializer.request(Request(.put, "http://h/"), ["a": [1, 2], "b": "c"])
    guard case .bytes(let text) = parameters.body.source else {
      Issue.record("no bytes")
      return
    }
    let root = try XMLDocument(parsing: text).root
    #expect(root.localName == "bird" && root.elements.map(\.text) == ["1", "2", "c"])
    #expect(try serializer.request(Request(.get, "http://h/"), ["a": 1]).url.absoluteString == "http://h/?a=1")
    let none = try serializer.request(Request(.post, "http://h/"))
    #expect(none.body.isEmpty && none.headerFields[.contentType] == nil)
  }

  @Test(arguments: ["application/xml", "text/xml", "application/atom+xml; charset=UTF-8", "image/svg+xml"])
  func `XML's types are taken`(type: String) throws {
    #expect(try XMLDocumentResponseSerializer().output(of: head(type), Data("<a>1</a>".utf8)).root.text == "1")
  }

  @Test func `other types are refused`() throws {
    let error = #expect(throws: NetworkError.self) {
      try XMLDocumentResponseSerializer().output(of: head("text/html"), Data("<a/>".utf8))
    }
    #expect(error?.kind == .unacceptableContentType)
  }

  @Test func `a charset of the type stands above the document's`() throws {
    let body = Data("<?xml version='1.0' encoding='utf-8'?><a>".utf8) + [0xE9] + Data("</a>".utf8)
    let serializer = XMLDocumentResponseSerializer()
    #expect(try serializer.output(of: head("text/xml; charset=iso-8859-1"), body).root.text == "é")
    let error = #expect(throws: NetworkError.self) { try serializer.output(of: head("text/xml"), body) }
    #expect(error?.details.underlying is XMLError)
  }

  @Test func `events are made when they are asked for`() async throws {
    let events = try XMLEventsResponseSerializer().output(of: head("text/xml"), Data("<a><b/></c>".utf8))
    var count = 0
    await #expect(throws: XMLError.self) {
      for try await _ in events { count += 1 }
    }
    #expect(count <= 3)
  }

  @Test func `a session's formats know XML by type, suffix and declaration`() throws {
    struct Nest: Codable, Equatable, Sendable { var eggs: Int }
    var formats = FormatRegistry([.xml])
    let written = try formats.first?.encode(Nest(eggs: 4)) ?? Data()
    #expect(String(decoding: written, as: UTF8.self).contains("<Nest><eggs>4</eggs></Nest>"))
    let byType = CodingResponseSerializer(Nest.self, by: formats)
    #expect(try byType.output(of: head("application/rss+xml"), written) == Nest(eggs: 4))
    formats.sniffs = true
    let sniffing = CodingResponseSerializer(Nest.self, by: formats)
    let declared = Data("<?xml version='1.0'?><b><eggs>3</eggs></b>".utf8)
    #expect(try sniffing.output(of: head("text/plain"), declared) == Nest(eggs: 3))
    let error = #expect(throws: NetworkError.self) { try sniffing.output(of: head(nil), Data("<html>".utf8)) }
    #expect(error?.kind == .unacceptableContentType)
  }
}
