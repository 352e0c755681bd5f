import CurlewCore
import CurlewJSON
import CurlewRequests
import CurlewSerialization
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct RequestTemplateTests {
  private static func template(_ serializer: (any RequestSerializer)? = nil) throws -> RequestTemplate {
    RequestTemplate(baseURL: try BaseURL("http://h.test/v1"), serializer: serializer)
  }

  /// AFNetworking's pairs, byte for byte.
  @Test(
    arguments: [
      (["foo": "bar"], "foo=bar"), (["foo": ["a", "b"]], "foo%5B%5D=a&foo%5B%5D=b"),
      (["foo": ["bar": "baz"]], "foo%5Bbar%5D=baz"),
      (["foo": ["bar": ["a", ["q": 1]]]], "foo%5Bbar%5D%5B%5D=a&foo%5Bbar%5D%5B%5D%5Bq%5D=1"),
      (["a": [["b": 1], ["c": 2]]], "a%5B%5D%5Bb%5D=1&a%5B%5D%5Bc%5D=2"), (["foo": nil, "x": ""], "foo&x="),
      (["foo": .set(["b", "a"])], "foo=a&foo=b"), (["b": 1, "a": 2, "B": 3], "B=3&a=2&b=1"),
      (["v": " :#[]@!$&'()*+,;=/?"], "v=%20%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D/?"),
      (["v": "%20"], "v=%2520"), (["v": "é~-._"], "v=%C3%A9~-._"),
    ] as [(Parameters, String)])
  func `parameters go into the query or the body as AFNetworking writes them`(
    _ parameters: Parameters, _ pairs: String
  ) throws {
    let template = try Self.template()
    for method in [HTTPRequest.Method.get, .head, .delete] {
      let request = try template.request(method, "p", parameters)
      #expect(request.url.absoluteString == "http://h.test/v1/p?" + pairs)
      #expect(request.body.isEmpty)
    }
    for method in [HTTPRequest.Method.post, .put, .patch] {
      let request = try template.request(method, "p", parameters)
      #expect(request.url.absoluteString == "http://h.test/v1/p")
      #expect(request.body.length == Int64(pairs.utf8.count))
      #expect(request.headerFields[.contentType] == "application/x-www-form-urlencoded")
    }
  }

  @Test func `parameters join a query that is there, and stay in front of a fragment`() throws {
    let template = try Self.template()
    #expect(try template.request(.get, "p?x=1", ["a": 2]).url.absoluteString == "http://h.test/v1/p?x=1&a=2")
    #expect(try template.request(.get, "p#f", ["a": 2]).url.absoluteString == "http://h.test/v1/p?a=2#f")
    #expect(try template.request(.get, "p", [:]).url.absoluteString == "http://h.test/v1/p")
    #expect(try template.request(.get, "p").url.absoluteString == "http://h.test/v1/p")
  }

  @Test func `a call's fields and options win over the serializer's, and these over the template's`() throws {
    var serializer = JSONRequestSerializer()
    serializer.defaults.headerFields = [.accept: "serializer", .userAgent: "serializer"]
    serializer.defaults.options.timeouts.total = .seconds(9)
    serializer.defaults.options.redirectLimit = 3
    var template = try Self.template(serializer)
    template.headerFields = [.accept: "template", .userAgent: "template", .from: "template"]
    var options = RequestOptions()
    options.redirectLimit = 1
    let request = try template.request(
      .post, "p", ["a": 1], headerFields: [.accept: "call", .contentType: "application/vnd.birds+json"],
      options: options)
    #expect(request.headerFields[values: .accept] == ["call"])
    #expect(request.headerFields[values: .userAgent] == ["serializer"])
    #expect(request.headerFields[.from] == "template")
    #expect(request.headerFields[values: .contentType] == ["application/vnd.birds+json"])
    #expect(request.options.redirectLimit == 1)
    #expect(request.options.timeouts.total == .seconds(9))
  }

  @Test func `a secret of a serializer's defaults stays with the base URL, and one of the call goes where it is sent`()
    throws
  {
    var serializer = JSONRequestSerializer()
    serializer.defaults.headerFields = [.authorization: "Bearer secret"]
    let template = try Self.template(serializer)
    #expect(try template.request(.get, "p").headerFields[.authorization] == "Bearer secret")
    #expect(try template.request(.get, "https://other.test/p").headerFields[.authorization] == nil)
    let own = try template.request(
      .get, "https://other.test/p", headerFields: [.authorization: "Bearer secret"])
    #expect(own.headerFields[.authorization] == "Bearer secret")
  }

  @Test func `any encodable value makes a query or a body`() throws {
    struct Bird: Encodable { var name: String }
    let template = try Self.template(JSONRequestSerializer())
    let got = try template.request(.get, "birds", encoding: Bird(name: "Curlew"))
    #expect(got.url.absoluteString == "http://h.test/v1/birds?name=Curlew")
    let posted = try template.request(.post, "birds", encoding: Bird(name: "Curlew"))
    guard case .bytes(let body) = posted.body.source else { throw CancellationError() }
    #expect(body == Data(#"{"name":"Curlew"}"#.utf8))
  }

  @Test func `no field of a call takes the boundary of a form away`() async throws {
    var serializer = JSONRequestSerializer()
    serializer.defaults.headerFields = [.userAgent: "serializer"]
    var template = try Self.template(serializer)
    template.headerFields = [.from: "template"]
    let request = try template.multipart(
      .post, "birds", ["name": "Curlew"], headerFields: [.contentType: "multipart/form-data", .accept: "call"]
    ) { try $0.append(Data("x".utf8), name: "photo") }
    #expect(request.method == .post)
    let type = try #require(request.headerFields[.contentType].flatMap { MediaType($0) })
    #expect(type["boundary"]?.hasPrefix("Boundary+") == true)
    #expect(request.headerFields[values: .contentType].count == 1)
    #expect(request.headerFields[.userAgent] == "serializer")
    #expect(request.headerFields[.from] == "template")
    #expect(request.headerFields[.accept] == "call")
    #expect((request.body.length ?? 0) > 0)
  }

  @Test func `every mistake is a typed error before anything is sent`() throws {
    let template = try Self.template()
    func kind(_ make: () throws -> Request) -> NetworkError.Kind? {
      do {
        _ = try make()
        return nil
      } catch {
        return (error as? NetworkError)?.kind
      }
    }
    #expect(kind { try template.request(.get, "a\\b") } == .invalidURL)
    #expect(kind { try RequestTemplate().request(.get, "a") } == .invalidURL)
    #expect(kind { try template.request(.get, "a", ["x"]) } == .serializationFailed)
    #expect(kind { try template.request(.post, "a", "x") } == .serializationFailed)
    #expect(kind { try template.request(.post, "a", ["x": 1], body: .bytes(Data([1]))) } == .invalidRequest)
    #expect(kind { try template.request(.get, "a", encoding: "x") } == .serializationFailed)
    #expect(kind { try template.multipart(.get, "a", build: { _ in }) } == .invalidRequest)
    #expect(
      kind { try template.multipart(.post, "a", build: { _ in throw CancellationError() }) } == .serializationFailed)
    #expect(
      kind {
        var broken = template
        broken.serializer = JSONRequestSerializer()
        return try broken.request(.post, "a", ["x": .double(.nan)])
      } == .serializationFailed)
  }

  @Test func `a body of the caller's own is kept, also by a serializer of forms`() throws {
    let template = try Self.template()
    let request = try template.request(
      .put, "a", headerFields: [.contentType: "image/png"], body: .bytes(Data([1, 2, 3])))
    #expect(request.body.length == 3)
    #expect(request.headerFields[values: .contentType] == ["image/png"])
    let empty = try template.request(.post, "a")
    #expect(empty.body.length == 0 && !empty.body.isEmpty)
    #expect(empty.headerFields[.contentType] == "application/x-www-form-urlencoded")
  }
}
