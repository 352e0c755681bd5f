import CurlewCore
import CurlewSerialization
import FoundationEssentials
import Testing

private struct NoValue: Error {}

/// A format that reads every body as its own name.
private struct Named: ValueCoding {
  var name: String
  var mediaType: MediaType
  var validation: ResponseValidation
  var start: UInt8?

  init(_ name: String, _ types: [MediaType]?, limit: Int = 64 << 20, start: UInt8? = nil) {
    self.name = name
    mediaType = types?.first ?? .octetStream
    validation = ResponseValidation(mediaTypes: types, maximumBytes: limit)
    self.start = start
  }

  func recognizes(_ prefix: Data) -> Bool { start != nil && prefix.first == start }

  func decode<Value: Decodable>(_ type: Value.Type, from body: Data, _ head: ResponseHead?) throws -> Value {
    guard let value = name as? Value else { throw NoValue() }
    return value
  }

  func encode(_ value: some Encodable) throws -> Data { Data(name.utf8) }
}

@Suite struct FormatRegistryTests {
  private func read(_ formats: FormatRegistry, _ type: String?, _ body: String = "x") throws -> String {
    try CodingResponseSerializer(String.self, by: formats).output(of: makeHead(type: type), Data(body.utf8))
  }

  @Test(arguments: [
    ("application/json", "json"), ("application/problem+json", "json"), ("application/vnd.x+json", "vendor"),
    ("image/png", "png"), ("image/gif", "image"), ("text/html; charset=utf-8", "any"),
  ])
  func `the closest match reads a response`(type: String, name: String) throws {
    let formats = FormatRegistry([
      Named("any", nil), Named("image", [try #require(MediaType("image/*"))]), Named("json", [.json]),
      Named("png", [.png]),
      Named("vendor", [try #require(MediaType("application/vnd.x+json"))]),
    ])
    #expect(try read(formats, type) == name)
  }

  @Test func `among equal matches the earlier format reads, and one of the same name takes its place`() throws {
    var formats = FormatRegistry([Named("first", [.json]), Named("second", [.json])])
    #expect(try read(formats, "application/json") == "first")
    formats.add(Named("first", [.xml]))
    #expect(formats.all.map(\.name) == ["first", "second"])
    #expect(try read(formats, "application/json") == "second")
    formats.remove(named: "second")
    #expect(formats["second"] == nil && formats["first"]?.mediaType == .xml)
  }

  @Test func `the first format can be replaced, and then stands nowhere else`() {
    var formats = FormatRegistry([Named("a", [.json]), Named("b", [.xml])])
    formats.first = Named("b", [.yaml])
    #expect(formats.all.map(\.mediaType) == [.yaml])
    formats.first = nil
    #expect(formats.isEmpty && formats.accept == nil)
    formats.first = Named("c", [.csv])
    #expect(formats.first?.name == "c")
  }

  @Test func `a name is the subtype by default`() {
    struct Plain: ValueCoding {
      var mediaType: MediaType
      func decode<Value: Decodable>(_ type: Value.Type, from body: Data, _ head: ResponseHead?) throws -> Value {
        throw NoValue()
      }
      func encode(_ value: some Encodable) throws -> Data { Data() }
    }
    #expect(Plain(mediaType: .json).name == "json")
    #expect(PropertyListCoding().name == "plist")
  }

  @Test func `Accept offers all formats with falling preference, and refuses none`() {
    #expect(FormatRegistry([Named("a", [.json])]).accept == "application/json")
    let many = FormatRegistry((0..<12).map { Named("\($0)", [.json]) })
    let offers = many.accept?.split(separator: ", ").map(String.init) ?? []
    #expect(offers.prefix(2) == ["application/json", "application/json;q=0.9"])
    #expect(offers.suffix(3).allSatisfy { $0 == "application/json;q=0.1" } && offers.count == 12)
  }

  @Test func `a type that no format reads is refused, and an empty body needs none`() throws {
    let formats = FormatRegistry([Named("json", [.json]), Named("xml", [.xml])])
    let error = #expect(throws: NetworkError.self) { try read(formats, "text/html") }
    #expect(error?.kind == .unacceptableContentType && error?.message.contains("application/xml") == true)
    #expect(throws: NetworkError.self) { try read(formats, nil) }
    #expect(try read(formats, nil, "") == "json")
    #expect(try CodingResponseSerializer(String.self, by: formats).output(of: nil, Data("x".utf8)) == "json")
  }

  @Test func `first bytes decide only when asked, and only if the type does not`() throws {
    var formats = FormatRegistry([Named("html", [.html]), Named("brace", [.json], start: UInt8(ascii: "{"))])
    #expect(throws: NetworkError.self) { try read(formats, "application/octet-stream", "{") }
    formats.sniffs = true
    #expect(try read(formats, "application/octet-stream", "{") == "brace")
    #expect(try read(formats, nil, "{") == "brace")
    #expect(try read(formats, "text/html", "{") == "html")
    let error = #expect(throws: NetworkError.self) { try read(formats, "text/plain", "x") }
    #expect(error?.kind == .unacceptableContentType && error?.message.contains("html, brace") == true)
    #expect(error?.details.responseBody == Data("x".utf8))
  }

  @Test func `each format keeps its own limit`() throws {
    let formats = FormatRegistry([Named("json", [.json], limit: 3), Named("xml", [.xml], limit: 5)])
    #expect(try read(formats, "application/xml", "12345") == "xml")
    #expect(#expect(throws: NetworkError.self) { try read(formats, "application/json", "1234") }?.kind == .bodyTooLarge)
    #expect(
      #expect(throws: NetworkError.self) { try read(formats, "application/xml", "123456") }?.kind == .bodyTooLarge)
  }

  @Test func `a registry without a format is an error`() {
    let error = #expect(throws: NetworkError.self) { try read(FormatRegistry(), "application/json") }
    #expect(error?.kind == .unsupported && error?.stage == .decoding)
  }

  @Test func `property lists are a format that reads both forms`() throws {
    struct Nest: Codable, Equatable, Sendable { var eggs: Int }
    for format in PropertyList.Format.allCases {
      let coding = PropertyListCoding(format: format)
      let bytes = try coding.encode(Nest(eggs: 4))
      #expect(coding.recognizes(bytes) && (bytes.first == UInt8(ascii: "b")) == (format == .binary))
      #expect(try PropertyListCoding().decode(Nest.self, from: bytes, nil) == Nest(eggs: 4))
    }
    #expect(throws: EncodingError.self) { try PropertyListCoding().encode(7) }
    #expect(throws: PropertyListError.self) {
      try PropertyListCoding().decode(Nest.self, from: Data("<plist/>".utf8), nil)
    }
  }
}
