import CurlewCore
import CurlewLoading
import CurlewSecurity
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Credentials and redirects together.
@Suite struct RedirectedAuthenticationTests {
  private static let right = Data.basic("wader:secret")

  /// `https://a.example` wants Basic and redirects `/to?url` there; every other origin wants it too and takes anything.
  private static func transport() -> RecordingTransport {
    RecordingTransport(
      StubTransport { asked in
        let url = asked.request.url
        guard asked.request.headerFields[.authorization] == right else { return .challenge("Basic realm=\"marsh\"") }
        guard url.path == "/to" else { return .text("welcome") }
        return StubAnswer(.found, headerFields: [.location: url.query ?? "/"])
      })
  }

  private static func app() throws -> App {
    let origin = try Origin(scheme: .https, host: "a.example")
    return App { challenge in
      challenge.protectionSpace.origin == origin ? .use(.password(user: "wader", password: "secret")) : .defaultHandling
    }
  }

  @Test(arguments: [
    "https://b.example/", "http://a.example/", "https://a.example:8443/", "//b.example/",
    "https://a.example.b.example/",
  ])
  func `what one origin was told is not told to the one it redirects to`(target: String) async throws {
    let transport = Self.transport()
    let chain = InterceptorChain(redirect: Redirect(), authentication: Authentication())
    let loader = Loader(transport, chain: chain)
    let app = try Self.app()
    for _ in 0..<2 { #expect(try await app.load("https://a.example/to?\(target)", loader).status == 401) }
    let origin = try Origin(scheme: .https, host: "a.example")
    for request in transport.requests where try Origin(request.url) != origin {
      #expect(request.headerFields[.authorization] == nil)
    }
    #expect(transport.requests.count == 5)
  }

  @Test func `within its origin a redirect needs no second question`() async throws {
    let transport = Self.transport()
    let chain = InterceptorChain(redirect: Redirect(), authentication: Authentication())
    let app = try Self.app()
    #expect(try await app.load("https://a.example/to?/there", Loader(transport, chain: chain)).text == "welcome")
    #expect(app.asked.challenges.count == 1)
    #expect(transport.requests.map { $0.headerFields[.authorization] } == [nil, Self.right, Self.right])
  }

  @Test func `a token follows no redirect to another origin`() async throws {
    let transport = RecordingTransport(
      StubTransport { asked in
        asked.request.url.host() == "a.example"
          ? StubAnswer(.temporaryRedirect, headerFields: [.location: "https://b.example/"]) : .text("end")
      })
    let source = TokenSource(for: [try Origin(scheme: .https, host: "a.example")], token: BearerToken("t")) { _ in
      BearerToken("t")
    }
    let chain = InterceptorChain(redirect: Redirect(), authentication: Authentication(tokens: [source]))
    try await App().load("https://a.example/", Loader(transport, chain: chain))
    #expect(transport.requests.map { $0.headerFields[.authorization] } == ["Bearer t", nil])
  }
}
