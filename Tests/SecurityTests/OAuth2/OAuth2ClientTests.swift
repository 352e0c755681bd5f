import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewSecurity

/// The token endpoint of a test, which answers with a function of the form it got.
struct TokenEndpoint: Sendable {
  let transport: RecordingTransport

  init(_ answer: @escaping @Sendable (_ form: [String: String], _ index: Int) async throws -> StubAnswer) {
    transport = RecordingTransport(
      StubTransport { asked in try await answer(Self.form(String(decoding: asked.body, as: UTF8.self)), asked.index) })
  }

  static func form(_ text: String) -> [String: String] {
    let pairs = text.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let words = parts.map { Self.unescaped($0.replacing("+", with: " ")) }
      return (words[0], words.count > 1 ? words[1] : "")
    }
    return Dictionary(pairs) { first, _ in first + " twice" }
  }

  private static func unescaped(_ text: Substring) -> String {
    let parts = text.split(separator: "%", omittingEmptySubsequences: false)
    var bytes = Array((parts.first ?? "").utf8)
    for part in parts.dropFirst() {
      bytes.append(UInt8(part.prefix(2), radix: 16) ?? 0)
      bytes += Array(part.dropFirst(2).utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  func client(
    id: String = "birds", secret: String? = "the-secret", place: OAuth2Client.SecretPlace = .authorization,
    scope: String? = nil, clock: any NetworkClock = .system
  ) throws -> OAuth2Client {
    let loader = Loader(transport, chain: InterceptorChain(redirect: Redirect()))
    return try OAuth2Client(
      id: id, secret: secret, secretPlace: place, tokenEndpoint: "https://login.test/token?x=secret-too", scope: scope,
      clock: clock
    ) { try await loader.data(for: $0, upTo: 65_536) }
  }
}

@Suite struct OAuth2ClientTests {
  @Test func `a client's own credentials get a token with its expiry`() async throws {
    let endpoint = TokenEndpoint { form, _ in
      #expect(form == ["grant_type": "client_credentials", "scope": "read write"])
      return .json(#"{"access_token": "T", "token_type": "bEaReR", "expires_in": 3600, "scope": "read", "more": [1]}"#)
    }
    let clock = ManualClock()
    let token = try await endpoint.client(id: "a:b c", secret: "s+é", scope: "read write", clock: clock)
      .clientCredentials()
    #expect(
      token == OAuth2Token(BearerToken("T", expires: clock.date.addingTimeInterval(3600)), scope: "read"))
    let request = try #require(endpoint.transport.requests.first)
    // Each part is escaped before both are joined (RFC 6749 §2.3.1).
    #expect(request.headerFields[.authorization] == "Basic " + Data("a%3Ab+c:s%2B%C3%A9".utf8).base64EncodedString())
    #expect(request.headerFields[.contentType] == "application/x-www-form-urlencoded")
  }

  @Test func `a secret is sent in the content if the server wants that, and a public client has none`() async throws {
    let endpoint = TokenEndpoint { form, index in
      #expect(form["client_id"] == "birds")
      #expect(form["client_secret"] == (index == 0 ? "the-secret" : nil))
      return .json(#"{"access_token": "T", "token_type": "Bearer", "refresh_token": ""}"#)
    }
    _ = try await endpoint.client(place: .content).clientCredentials()
    let token = try await endpoint.client(secret: nil).refresh("R")
    #expect(token == OAuth2Token(BearerToken("T"), refreshToken: "R"))
    #expect(endpoint.transport.requests.allSatisfy { $0.headerFields[.authorization] == nil })
  }

  @Test(arguments: [
    ("invalid_client", 401), ("invalid_grant", 400), ("invalid_scope", 400), ("unauthorized_client", 400),
    ("own_word", 400),
    ("bad_verification_code", 200),
  ])
  func `an error of the server is a typed one`(word: String, status: Int) async throws {
    let endpoint = TokenEndpoint { _, _ in
      .json(
        #"{"error": "\#(word)", "error_description": "Not\u0007\u009b so.", "error_uri": "https://login.test/why"}"#,
        status: .init(code: status))
    }
    let error = await #expect(throws: OAuth2Error.self) { try await endpoint.client().clientCredentials() }
    #expect(error?.kind == .init(rawValue: word))
    #expect(error?.status == status)
    #expect(error?.page == "https://login.test/why")
    #expect(error?.message == "The authorization server refuses (\(word)): Not so.")
    #expect(error?.errorDescription == error?.description)
  }

  @Test func `an error that repeats what was sent shows no secret`() async throws {
    let endpoint = TokenEndpoint { form, _ in
      let token = form["refresh_token"] ?? ""
      return .json(
        #"{"error": "invalid_grant", "error_description": "\#(token) of the-secret\u{301}, \#(token)", "error_uri": "x?\#(token)"}"#,
        status: .badRequest)
    }
    for token in ["R1/+", "…", ".", "R1/\u{301}"] {
      let error = await #expect(throws: OAuth2Error.self) { try await endpoint.client().refresh(token) }
      let message = try #require(error?.message)
      #expect(message.utf8.firstRange(of: "the-secret".utf8) == nil)
      if token == "R1/+" { #expect(error.map { "\($0) \($0.page ?? "")".contains("R1") } == false) }
    }
  }

  @Test(arguments: [
    (200, "text/html", "<html>Sign in</html>"), (500, "text/html; charset=utf-8", "<html>"),
    (200, "application/json", ""), (200, "the-secret/x", "{}"),
    (200, "application/json", #"{"access_token": "", "token_type": "Bearer"}"#),
    (200, "application/json", #"{"access_token": "T", "token_type": "mac"}"#),
    (200, "application/json", #"{"access_token": 7, "token_type": "Bearer"}"#),
    (200, "application/json", #"{"token_type": "Bearer"}"#), (200, "application/json", "[]"),
    (400, "application/json", #"{"error": "a\"b"}"#), (400, "application/json", #"{"error": ""}"#),
    (302, "text/plain", ""), (307, "text/plain", ""),
  ])
  func `an answer that is neither token nor error is said to be so, without its content`(
    status: Int, type: String, content: String
  ) async throws {
    let endpoint = TokenEndpoint { _, _ in
      var answer = StubAnswer.json(content, status: .init(code: status), type: type)
      answer.headerFields[.location] = "https://elsewhere.test/"
      return answer
    }
    let error = await #expect(throws: OAuth2Error.self) { try await endpoint.client().refresh("R") }
    #expect(error?.kind == .malformedResponse)
    #expect(error?.status == status)
    #expect(error?.message.hasPrefix("https://login.test/token answered \(status)") == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("secret") == false && error?.message.contains("html>") == false)
    // Nothing went to where it redirects.
    #expect(endpoint.transport.requests.count == 1)
  }

  @Test(arguments: ["\"60\"", "60", "60.0"])
  func `a lifetime is a number, also as a text`(text: String) async throws {
    let endpoint = TokenEndpoint { _, _ in
      .json(#"{"access_token": "T", "token_type": "Bearer", "expires_in": \#(text)}"#)
    }
    let clock = ManualClock()
    let token = try await endpoint.client(clock: clock).clientCredentials()
    #expect(token.bearer.expires == clock.date.addingTimeInterval(60))
  }

  @Test(arguments: ["http://login.test/token", "login.test", "ftp://login.test/", "https://u:p@login.test/"])
  func `an endpoint in the clear or without an origin is refused`(text: String) throws {
    let error = #expect(throws: NetworkError.self) {
      try OAuth2Client(id: "i", tokenEndpoint: text) { _ in throw CancellationError() }
    }
    #expect(error?.kind == .invalidURL)
    for local in ["http://127.0.0.1:8080/t", "http://[::1]/t", "http://localhost/t"] {
      _ = try OAuth2Client(id: "i", tokenEndpoint: local) { _ in throw CancellationError() }
    }
  }
}
