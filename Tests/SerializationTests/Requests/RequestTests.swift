import CurlewCore
import CurlewSerialization
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct RequestTests {
  private func text(_ body: Body) -> String? {
    guard case .bytes(let data) = body.source else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  @Test(arguments: [HTTPRequest.Method.get, .head, .delete])
  func `parameters of a method without a body go into the URL`(method: HTTPRequest.Method) throws {
    let request = try FormRequestSerializer().request(Request(method, "http://h/p?x=1#f"), ["a": 2])
    #expect(request.url.absoluteString == "http://h/p?x=1&a=2#f")
    #expect(request.body.isEmpty)
    #expect(request.headerFields[.contentType] == nil)
  }

  @Test func `which methods have their parameters in the URL can be chosen, in any case of letters`() throws {
    var serializer = FormRequestSerializer()
    serializer.defaults.methodsWithParametersInURL = [.get]
    #expect(text(try serializer.request(Request(.delete, "http://h/"), ["a": 2]).body) == "a=2")
    let lower = try #require(HTTPRequest.Method("get"))
    #expect(try serializer.request(Request(lower, "http://h/"), ["a": 2]).url.absoluteString == "http://h/?a=2")
  }

  @Test func `a form is the body of a post, and says so unless the request does`() throws {
    let request = try FormRequestSerializer().request(Request(.post, "http://h/"), ["a": ["x y"]])
    #expect(text(request.body) == "a%5B%5D=x%20y")
    #expect(request.headerFields[.contentType] == "application/x-www-form-urlencoded")
    var own = try Request(.post, "http://h/")
    own.headerFields[.contentType] = "x/y"
    #expect(try FormRequestSerializer(form: .html).request(own, ["a": "x y"]).headerFields[.contentType] == "x/y")
    #expect(text(try FormRequestSerializer(form: .html).request(own, ["a": "x y"]).body) == "a=x+y")
  }

  @Test func `a post without parameters is a form without fields`() throws {
    let request = try FormRequestSerializer().request(Request(.post, "http://h/"))
    #expect(text(request.body) == "")
    #expect(request.headerFields[.contentType] == "application/x-www-form-urlencoded")
    #expect(try FormRequestSerializer().request(Request(.get, "http://h/"), [:]).url.absoluteString == "http://h/")
  }

  @Test func `a request's own body is kept, and refused beside parameters`() throws {
    var request = try Request(.post, "http://h/")
    request.body = .text("mine")
    #expect(text(try FormRequestSerializer().request(request).body) == "mine")
    let error = try #require(throws: NetworkError.self) { try FormRequestSerializer().request(request, ["a": 1]) }
    #expect(error.kind == .invalidRequest)
  }

  @Test func `fields are set only where the request has none, whatever the case of their names`() throws {
    var serializer = FormRequestSerializer()
    let upper = try #require(HTTPField.Name("X-A"))
    let lower = try #require(HTTPField.Name("x-a"))
    serializer.defaults.headerFields[upper] = "default"
    serializer.defaults.headerFields[.accept] = "*/*"
    var request = try Request(.get, "http://h/")
    request.headerFields[lower] = "own"
    let made = try serializer.request(request)
    #expect(made.headerFields[values: upper] == ["own"])
    #expect(made.headerFields[.accept] == "*/*")
  }

  @Test func `options fall through only where the request leaves them unset`() throws {
    var serializer = FormRequestSerializer()
    serializer.defaults.options.redirectLimit = 3
    serializer.defaults.options.timeouts.total = .seconds(9)
    var request = try Request(.get, "http://h/")
    request.options.redirectLimit = 0
    let made = try serializer.request(request)
    #expect(made.options.redirectLimit == 0)
    #expect(made.options.timeouts.total == .seconds(9))
    #expect(made.options.cachePolicy == nil)
  }

  @Test func `languages are asked for in falling preference, six at most`() {
    var defaults = RequestDefaults()
    defaults.setLanguages(["de-DE", "e\r\nX: y", "en", "fr", "it", "es", "pt", "nl"])
    #expect(
      defaults.headerFields[.acceptLanguage] == "de-DE;q=1, en;q=0.9, fr;q=0.8, it;q=0.7, es;q=0.6, pt;q=0.5")
    defaults.setLanguages(["é"])
    #expect(defaults.headerFields[.acceptLanguage] == nil)
  }

  @Test func `the user agent is printable ASCII whatever it is made of`() {
    var defaults = RequestDefaults()
    defaults.setUserAgent(product: "My App\r\n", version: "1.2 β", comment: "Linux; (ü)\nX: y\\")
    #expect(defaults.headerFields[.userAgent] == "MyApp/1.2 (Linux; X: y)")
    defaults.setUserAgent(product: "ß")
    #expect(defaults.headerFields[.userAgent] == nil)
  }

  @Test func `basic authorization is set and taken back`() throws {
    var defaults = RequestDefaults()
    try defaults.setAuthorization(user: "Aladdin", password: "open sesame")
    #expect(defaults.headerFields[.authorization] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    try defaults.setAuthorization(user: "test", password: "123£")
    #expect(defaults.headerFields[.authorization] == "Basic dGVzdDoxMjPCow==")
    #expect(throws: NetworkError.self) { try defaults.setAuthorization(user: "a:b", password: "") }
    // A colon with a mark behind it is one character to Swift, and still a colon to the server.
    #expect(throws: NetworkError.self) { try defaults.setAuthorization(user: "a:\u{301}b", password: "") }
    #expect(throws: NetworkError.self) { try defaults.setAuthorization(user: "a", password: "\n") }
    defaults.clearAuthorization()
    #expect(defaults.headerFields[.authorization] == nil)
  }

  @Test func `raw bytes and text are sent as they are, and nothing else is`() throws {
    let post = try Request(.put, "http://h/")
    let request = try DataRequestSerializer(mediaType: .csv).request(post, "a,b")
    #expect(text(request.body) == "a,b")
    #expect(request.headerFields[.contentType] == "text/csv")
    let error = try #require(throws: NetworkError.self) { try DataRequestSerializer().request(post, ["a": 1]) }
    #expect(error.kind == .serializationFailed)
    #expect(error.stage == .preparing)
    #expect(error.details.underlying as? ParametersError == ParametersError(.unrepresentable))
  }

  private struct Search: Encodable {
    var q = "curlew"
    var page = 2
  }

  @Test func `any encodable value can be sent`() throws {
    let request = try FormRequestSerializer().request(Request(.get, "http://h/"), encoding: Search())
    #expect(request.url.absoluteString == "http://h/?page=2&q=curlew")
  }

  @Test func `an extension has a media type`() {
    #expect(MediaType(fileExtension: "PNG") == .png)
    #expect(MediaType(fileExtension: "xml") == .xml)
    #expect(MediaType(fileExtension: "js") == .javaScript)
    #expect(MediaType(fileExtension: "gz") == .gzip)
    #expect(MediaType(fileExtension: "jpeg") == .jpeg)
    #expect(MediaType(fileExtension: "") == nil)
  }
}
