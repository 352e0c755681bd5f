import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// status × method × body × origin change × scheme change; what is sent is what the transport got.
@Suite(.timeLimit(.minutes(10))) struct RedirectMatrixTests {
  struct Way: Sendable, CustomTestStringConvertible {
    let name: String
    let from: String
    let to: String
    let crosses: Bool
    var testDescription: String { name }
  }

  static let ways = [
    Way(name: "same origin", from: "http://a.test/1", to: "http://a.test/2", crosses: false),
    Way(name: "same origin over https", from: "https://a.test/1", to: "https://a.test/2", crosses: false),
    Way(name: "default port written out", from: "http://a.test/1", to: "http://A.test:80/2", crosses: false),
    Way(name: "another host", from: "http://a.test/1", to: "http://b.test/2", crosses: true),
    Way(name: "a host below", from: "http://a.test/1", to: "http://www.a.test/2", crosses: true),
    Way(name: "another port", from: "http://a.test/1", to: "http://a.test:8080/2", crosses: true),
    Way(name: "to https", from: "http://a.test/1", to: "https://a.test/2", crosses: true),
    Way(name: "to http", from: "https://a.test/1", to: "http://a.test/2", crosses: true),
    Way(name: "another host and to http", from: "https://a.test/1", to: "http://b.test/2", crosses: true),
  ]
  static let statuses = [300, 301, 302, 303, 304, 305, 306, 307, 308]
  static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]

  /// The expected method; nil where the 3xx is the response. The table of RFC 9110 §15.4 and of the Fetch standard §4.4.
  static func expected(_ status: Int, _ method: HTTPRequest.Method) -> HTTPRequest.Method? {
    switch (status, method) {
    case (301, .post), (302, .post): .get
    case (303, .head): .head
    case (303, _): .get
    case (301, _), (302, _), (307, _), (308, _): method
    default: nil
    }
  }

  @Test(arguments: statuses, ways) func `each status treats each method, body and origin as it should`(
    status: Int, way: Way
  ) async throws {
    for method in Self.methods {
      // A HEAD with a body is refused before it is sent.
      for body in [Body.empty, .text("secret body"), .text("")] where method != .head || body.isEmpty {
        try await check(status, method, body, way)
      }
    }
  }

  private func check(_ status: Int, _ method: HTTPRequest.Method, _ body: Body, _ way: Way) async throws {
    let stub = Redirecting([way.from: .redirect(status, to: way.to)])
    let response = try await stub.load(way.from) { request in
      request.method = method
      request.body = body
      request.headerFields = [
        .authorization: "Bearer one", .cookie: "own=1", .proxyAuthorization: "Basic x", .accept: "text/x",
        .contentType: "text/plain", .contentLanguage: "en", .userAgent: "test",
      ]
      if let name = HTTPField.Name("X-Api-Key") { request.headerFields[name] = "key" }
    }
    let sent = stub.recording.requests
    guard let expected = Self.expected(status, method) else {
      #expect(sent.count == 1)
      #expect(response.head.status.code == status)
      return
    }
    try #require(sent.count == 2, "\(status) \(method) \(way.name)")
    let second = sent[1]
    #expect(second.method == expected)
    #expect(try Origin(second.url) == Origin(#require(URL(string: way.to))))
    #expect(response.head.url == second.url)
    let keepsBody = expected == method && !(status == 303 && method == .get && !body.isEmpty)
    #expect(second.body.isEmpty == (keepsBody ? body.isEmpty : true))
    #expect(second.headerFields[.contentType] == (keepsBody ? "text/plain" : nil))
    #expect(second.headerFields[.contentLanguage] == (keepsBody ? "en" : nil))
    #expect(second.headerFields[.accept] == "text/x")
    #expect(second.headerFields[.userAgent] == "test")
    let secrets: [HTTPField.Name] =
      [.authorization, .cookie, .proxyAuthorization] + [HTTPField.Name("X-Api-Key")].compactMap(\.self)
    for name in secrets {
      #expect((second.headerFields[name] == nil) == way.crosses, "\(name) \(way.name)")
    }
    #expect(stub.recording.records.map(\.hop) == [0, 1])
  }
}
