import CurlewCore
import CurlewJSON
import CurlewLoading
import CurlewSerialization
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewSession

@Suite(.timeLimit(.minutes(10))) struct VerbTests {
  /// Answers with the bird, or with what was asked as text below `/echo`.
  private let stub = StubTransport { asked in
    guard asked.request.url.path.hasSuffix("/echo") else { return .json(Bird.json) }
    let fields = asked.request.headerFields
    return .text(
      """
      \(asked.request.method) \(asked.request.url.query ?? "") \(fields[.contentType] ?? "-") \
      \(String(decoding: asked.body, as: UTF8.self))
      """)
  }

  @Test func `a path below the base URL gives a decoded value`() async throws {
    let recording = RecordingTransport(stub)
    let session = try HTTPSession.birds(recording)
    let bird: Bird = try await session.get("birds/7")
    #expect(bird == .curlew)
    #expect(recording.requests.map(\.url.absoluteString) == ["https://birds.test/v1/birds/7"])
    #expect(recording.requests.first?.headerFields[.accept] == "application/json")
  }

  @Test func `a serializer decides about the value, and as Data it is the bytes, whatever the formats`() async throws {
    let session = try HTTPSession.birds(stub)
    #expect(try await session.get("birds/7", .string) == Bird.json)
    let bytes: Data = try await session.get("birds/7")
    #expect(bytes == Data(Bird.json.utf8))
    let formatless: Data = try await session.with { $0.formats = FormatRegistry() }.post("birds/7", .text("x"))
    #expect(formatless == bytes)
    #expect(try await session.response(.get, "birds/7", as: Data.self).value == bytes)
    let untyped = try await session.delete("birds/7")
    #expect(untyped == bytes)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var expected: String
    var call: @Sendable (HTTPSession) async throws -> String
    var testDescription: String { name }
  }

  private static let cases = [
    Case(name: "get", expected: "GET page=2&q=a%20b - ") {
      try await $0.get("echo", .string, parameters: ["q": "a b", "page": 2])
    },
    Case(name: "delete", expected: "DELETE id=7 - ") { try await $0.delete("echo", .string, parameters: ["id": 7]) },
    Case(name: "post parameters", expected: #"POST  application/json {"a":1}"#) {
      try await $0.post("echo", .none, .string, parameters: ["a": 1])
    },
    Case(name: "post nothing", expected: "POST  - ") { try await $0.post("echo", .none, .string) },
    Case(name: "post a value", expected: #"POST page=1 application/json {"id":7,"name":"Curlew"}"#) {
      try await $0.post("echo", .encoded(Bird.curlew), .string, parameters: ["page": 1])
    },
    Case(name: "post a dictionary as a form", expected: "POST  application/x-www-form-urlencoded a=1&b=x%20y") {
      let fields = ["b": "x y", "a": "1"]
      return try await $0.post("echo", .form(encoding: fields), .string)
    },
    Case(name: "post a form", expected: "POST  application/x-www-form-urlencoded a=1&b=x%20y") {
      try await $0.post("echo", .form(["a": 1, "b": "x y"]), .string)
    },
    Case(name: "put text", expected: "PUT  text/plain;charset=utf-8 né") {
      try await $0.put("echo", .text("né"), .string)
    },
    Case(name: "patch bytes", expected: "PATCH  application/octet-stream x") {
      try await $0.patch("echo", .bytes(Data("x".utf8)), .string)
    },
    Case(name: "any method", expected: "QUERY  application/json [1]") {
      try await $0.request(.init("QUERY") ?? .get, "echo", .bytes(Data("[1]".utf8), as: .json), .string)
    },
    Case(name: "a type of the call's own", expected: "POST  text/csv a,b") {
      try await $0.post("echo", .text("a,b"), .string, headerFields: [.contentType: "text/csv"])
    },
  ]

  @Test(arguments: cases) func `each verb puts parameters and content where they belong`(_ test: Case) async throws {
    #expect(try await test.call(try .birds(stub)) == test.expected)
  }

  @Test func `a multipart form has the parts that are added`() async throws {
    let session = try HTTPSession.birds(stub)
    let text = try await session.post(
      "echo", .multipart { try $0.append("Curlew", name: "title") }, .string)
    #expect(text.contains("multipart/form-data;boundary="))
    #expect(text.contains("Curlew"))
  }

  @Test func `a head request returns the head, whatever length it announces`() async throws {
    let stub = StubTransport(StubAnswer(headerFields: [.contentLength: "1000000000000", .eTag: "\"a\""]))
    let head = try await HTTPSession.birds(stub).head("birds")
    #expect(head.headerFields[.eTag] == "\"a\"")
  }

  @Test func `the whole response has value, head and measurements`() async throws {
    for retry in [nil, RetryPolicy(limit: 1)] {
      let session = try HTTPSession.birds(stub).with { $0.retry = retry }
      let response = try await session.response(.get, "birds/7", as: Bird.self)
      #expect(response.value == .curlew)
      #expect(response.head.status == .ok)
      #expect(response.metrics.count == 1)
      #expect(try await session.response(.get, "birds/7", .none, .string).value == Bird.json)
    }
  }

  @Test func `the fields of a call win over the session's`() async throws {
    let recording = RecordingTransport(stub)
    let session = try HTTPSession.birds(recording) {
      $0.headerFields = [.userAgent: "birds/1", .acceptLanguage: "en"]
      $0.options.priority = .high
      $0.options.redirectLimit = 3
    }
    var options = RequestOptions()
    options.redirectLimit = 1
    try await session.get("birds", .data, headerFields: [.userAgent: "other/2"], options: options)
    let request = try #require(recording.requests.first)
    #expect(request.headerFields[.userAgent] == "other/2")
    #expect(request.headerFields[.acceptLanguage] == "en")
    #expect(request.options.priority == .high)
    #expect(request.options.redirectLimit == 1)
  }

  @Test func `an Accept of the session is kept for typed calls`() async throws {
    let recording = RecordingTransport(stub)
    let own = "application/vnd.birds+json"
    for session in [
      try HTTPSession.birds(recording) { $0.headerFields[.accept] = own },
      try HTTPSession.birds(recording) {
        var serializer = JSONRequestSerializer()
        serializer.defaults.headerFields[.accept] = own
        $0.requestSerializer = serializer
      },
    ] {
      let _: Bird = try await session.get("birds/7")
      let _: Bird = try await session.get("birds/7", headerFields: [.accept: "text/plain"])
    }
    #expect(recording.requests.map { $0.headerFields[.accept] } == [own, "text/plain", own, "text/plain"])
  }

  @Test func `fields of the session go to the origin of its base URL only, but for harmless ones`() async throws {
    let recording = RecordingTransport(StubTransport(.text("here")))
    let key = try #require(HTTPField.Name("X-API-Key"))
    // No list knows this name.
    let own = try #require(HTTPField.Name("Marsh-Ticket"))
    let session = try HTTPSession.birds(recording) {
      $0.headerFields = [
        .authorization: "Bearer hush", .cookie: "a=hush", key: "hush", own: "hush", .userAgent: "birds/1",
      ]
      var serializer = JSONRequestSerializer()
      serializer.defaults.headerFields = [.proxyAuthorization: "Basic hush", .acceptLanguage: "en"]
      serializer.defaults.headerFields.append(HTTPField(name: .proxyAuthorization, value: "Bearer hush"))
      $0.requestSerializer = serializer
    }
    func sent(_ path: String, over session: HTTPSession, _ fields: HTTPFields = [:]) async throws -> [String] {
      try await session.post(path, .none, headerFields: fields)
      return recording.requests.last?.headerFields.map(\.name.canonicalName).sorted() ?? []
    }
    let (all, harmless) = (
      [
        "accept-language", "authorization", "cookie", "marsh-ticket", "proxy-authorization", "proxy-authorization",
        "user-agent",
        "x-api-key",
      ],
      ["accept-language", "user-agent"]
    )
    for home in ["birds", "/birds", "?a", "https://birds.test/", "HTTPS://BIRDS.test:443/x"] {
      #expect(try await sent(home, over: session) == all, "\(home)")
    }
    let foreign = [
      "https://evil.test/", "http://birds.test/v1/", "https://birds.test:8443/",
    ]
    for path in foreign { #expect(try await sent(path, over: session) == harmless, "\(path)") }
    // What the call itself sets goes where the call goes.
    #expect(
      try await sent("https://evil.test/", over: session, [.authorization: "Bearer own"]) == [
        "accept-language", "authorization", "user-agent",
      ])
    #expect(recording.requests.last?.headerFields[.authorization] == "Bearer own")
    let friendly = try session.with { $0.secretOrigins = [try Origin(scheme: .https, host: "friend.test")] }
    #expect(try await sent("https://friend.test/", over: friendly) == all)
    #expect(try await sent("https://evil.test/", over: friendly) == harmless)
    #expect(try await sent("birds", over: friendly) == all)
    // Without a base URL every URL is the app's choice, unless it names origins.
    #expect(try await sent("https://any.test/", over: session.with { $0.baseURL = nil }) == all)
    #expect(try await sent("https://any.test/", over: friendly.with { $0.baseURL = nil }) == harmless)
    // Forms, multipart forms and the app's own list of secrets follow the same rule.
    let wary = session.with { $0.settings.redaction.fields.insert(.userAgent) }
    #expect(try await sent("https://evil.test/", over: wary) == ["accept-language"])
    try await session.post("https://evil.test/", .multipart(["a": 1]))
    #expect(recording.requests.last?.headerFields.contains { $0.value.contains("hush") } == false)
    for try await _ in session.bytes("https://evil.test/") {}
    #expect(recording.requests.last?.headerFields.contains { $0.value.contains("hush") } == false)
  }

  @Test func `a body of another type is refused with the path of the value, in one sentence`() async throws {
    let session = try HTTPSession.birds(StubTransport(.json(#"{"b": [1, "x"]}"#)))
    let error = await networkError { let _: [String: [Int]] = try await session.get("birds") }
    let message = try #require(error?.message)
    let start = "The body could not be decoded as Dictionary<String, Array<Int>>: `b[1]`: "
    #expect(message.hasPrefix(start), "\(message)")
    #expect(message.hasSuffix(".") && !message.hasSuffix("..") && !message.contains("DecodingError"), "\(message)")
    #expect("\(NetworkError.Kind.serializationFailed)" == "serialization-failed")
  }

  @Test func `an empty body for a typed value says so`() async throws {
    for status in [HTTPResponse.Status.ok, .noContent, .resetContent] {
      let session = try HTTPSession.birds(
        StubTransport(StubAnswer(status, headerFields: [.contentType: "application/json"])))
      let error = await networkError { let _: Bird = try await session.get("birds/7") }
      #expect(error?.kind == .serializationFailed && error?.details.response?.status == status)
      #expect(error?.message.contains("(\(status.code)) has an empty body, and a value of type Bird") == true)
      #expect(try await session.get("birds/7", .data).isEmpty)
    }
    let session = try HTTPSession.birds(StubTransport(.json(Bird.json)))
    let error = await networkError { let _: Bird = try await session.request(.head, "birds/7") }
    #expect(error?.message.contains("has an empty body") == true)
  }

  private struct Seen: Endpoint {
    typealias Output = Bird
    var path: String
  }

  @Test(arguments: [
    ("/birds/7", ": a path that begins with a slash begins at the host. Leave that slash out."),
    ("../birds/7", ": `..` in a path leads above it. Leave that out."), ("https://birds.test/birds/7", "."),
    ("birds/7", nil), ("https://birds.test/v1/birds/7", nil), ("https://other.test/birds/7", nil), ("/v1/birds/7", nil),
  ])
  func `a 404 beside the base URL's path says why the path leads there`(_ path: String, _ why: String?) async throws {
    let session = try HTTPSession.birds(StubTransport { _ in StubAnswer(.notFound) })
    let advice = why.map { "The URL is not below the base URL https://birds.test/v1/" + $0 }
    let errors = [
      await networkError { let _: Bird = try await session.get(path) },
      await networkError { _ = try await session.value(of: Seen(path: path)) },
    ]
    for error in errors { #expect(error?.status == .notFound && error?.advice == advice) }
    let streamed = await networkError { for try await _ in session.lines(path) {} }
    #expect((streamed?.advice == nil) == (why == nil))
    let gone = try HTTPSession.birds(StubTransport { _ in StubAnswer(.gone) })
    #expect(await networkError { try await gone.get(path, .data) }?.advice == nil)
  }

  @Test func `a refusal with problem details says how they are read, and they can be read so`() async throws {
    let problem = StubAnswer(
      .conflict, headerFields: [.contentType: "application/problem+json"],
      body: [.bytes(Data(#"{"detail": "It sits."}"#.utf8))])
    let session = try HTTPSession.birds(StubTransport { _ in problem })
    let error = await networkError { let _: Bird = try await session.get("birds/7") }
    #expect(error?.advice == "`error.decodedBody(as: ProblemDetails.self)` has what the server said about it.")
    #expect(error?.decodedBody(as: ProblemDetails.self)?.detail == "It sits.")
    #expect(error?.description.contains("It sits.") == false)
  }

  @Test func `an error says what is wrong before anything is sent`() async throws {
    let session = HTTPSession(stub)
    #expect(await networkError { try await session.get("birds/7", .data) }?.kind == .invalidURL)
    let uncoded = await networkError { let _: Bird = try await session.get("https://birds.test/") }
    #expect(uncoded?.kind == .unsupported)
    #expect(uncoded?.advice?.contains("SessionConfiguration.formats") == true)
    #expect(await networkError { try await session.post("https://b.test/", .encoded(1)) }?.kind == .unsupported)
    let birds = try HTTPSession.birds(stub)
    #expect(await networkError { try await birds.post("birds", .encoded(Double.nan)) }?.kind == .serializationFailed)
    #expect(stub.requestCount == 0)
  }

  @Test func `with a policy a call is tried again`() async throws {
    let script = StubTransport(script: [.json("{}", status: .serviceUnavailable), .json(Bird.json)])
    var policy = RetryPolicy(limit: 1)
    policy.delay = .fixed(.zero)
    let session = try HTTPSession.birds(script).with { $0.retry = policy }
    let bird: Bird = try await session.get("birds/7")
    #expect(bird == .curlew)
    #expect(script.requestCount == 2)
  }
}
