import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewSecurity
import FoundationEssentials
import HTTPTypes
import Testing

private let oauthServer = ProcessInfo.processInfo.environment["CURLEW_OAUTH"]

/// Tokens of an OAuth 2 server by Authlib. `Scripts/oauth-peers` starts it and sets `CURLEW_OAUTH`.
@Suite(.enabled(if: oauthServer != nil, "Scripts/oauth-peers runs it, with Authlib"), .serialized)
struct OAuth2PeerTests {
  private let address: String
  private let plain: Loader
  private let transport: CurlTransport

  init() throws {
    address = try #require(oauthServer)
    transport = try CurlTransport()
    plain = Loader(transport)
  }

  private func client(
    _ id: String, _ secret: String?, place: OAuth2Client.SecretPlace = .authorization
  ) throws -> OAuth2Client {
    try OAuth2Client(id: id, secret: secret, secretPlace: place, tokenEndpoint: address + "/token") { [plain] in
      try await plain.data(for: $0, upTo: 65_536)
    }
  }

  private func service(_ place: OAuth2Client.SecretPlace = .authorization) throws -> OAuth2Client {
    try client("service", "service-secret", place: place)
  }

  @discardableResult
  private func post(_ path: String) async throws -> Data {
    try await plain.data(for: Request(.post, address + path), upTo: 65_536).0
  }

  private func count() async throws -> Int? {
    Int(String(decoding: try await plain.data(for: Request(.get, address + "/count"), upTo: 100).0, as: UTF8.self))
  }

  private func loader(_ tokens: TokenSource) -> Loader {
    Loader(transport, chain: InterceptorChain(authentication: Authentication(tokens: [tokens])))
  }

  private func status(_ loader: Loader) async throws -> Int {
    try await loader.data(for: Request(.get, address + "/api"), upTo: 65_536).1.status.code
  }

  private func userToken() async throws -> OAuth2Token {
    struct User: Decodable {
      var accessToken: String
      var refreshToken: String
    }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let user = try decoder.decode(User.self, from: try await post("/user"))
    return OAuth2Token(BearerToken(user.accessToken), refreshToken: user.refreshToken)
  }

  @Test(arguments: [OAuth2Client.SecretPlace.authorization, .content])
  func `a client gets a token for itself`(place: OAuth2Client.SecretPlace) async throws {
    let tokens = try TokenSource(for: [address], clientCredentials: service(place))
    #expect(try await status(loader(tokens)) == 200)
    let bare = try await status(plain)
    #expect(bare == 401)
  }

  @Test func `a wrong client, a wrong secret and a way that is not open are typed errors`() async throws {
    for (client, kind) in [
      (try client("nobody", "x"), OAuth2Error.Kind.invalidClient), (try client("service", "wrong"), .invalidClient),
      (try client("tool", nil), .invalidClient),
    ] {
      let tokens = try TokenSource(for: [address], clientCredentials: client)
      let error = await #expect(throws: NetworkError.self) { try await status(loader(tokens)) }
      #expect((error?.details.underlying as? OAuth2Error)?.kind == kind, "\(client)")
    }
    let error = await #expect(throws: OAuth2Error.self) { try await client("tool", nil).refresh("nothing") }
    #expect(error?.kind == .invalidGrant)
  }

  @Test func `one hundred requests with an expired token cause one refresh`() async throws {
    let token = try await userToken()
    let tokens = try TokenSource(for: [address], refreshing: client("tool", nil), token: token)
    let loader = loader(tokens)
    #expect(try await status(loader) == 200)
    try await post("/expire")
    let before = try #require(try await count())
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<100 { group.addTask { try await status(loader) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses == Array(repeating: 200, count: 100))
    let refreshes = try #require(try await count()) - before
    #expect(refreshes == 1)
    print("oauth-peers: 100 requests with an expired token, \(refreshes) refresh")
  }

  @Test func `a revoked token is renewed, and a revoked refresh token ends with a typed error`() async throws {
    let token = try await userToken()
    let tokens = try TokenSource(for: [address], refreshing: client("tool", nil), token: token)
    let loader = loader(tokens)
    for _ in 0..<3 {
      try await post("/revoke")
      #expect(try await status(loader) == 200)
    }
    try await post("/revoke?all=1")
    let error = await #expect(throws: NetworkError.self) { try await status(loader) }
    #expect((error?.details.underlying as? OAuth2Error)?.kind == .invalidGrant)
  }

  @Test func `a user signs in on another device, or refuses`() async throws {
    let tool = try client("tool", nil)
    let token = try await tool.login(at: address + "/device") { code in try await post("/approve?code=" + code.userCode)
    }
    #expect(token.refreshToken != nil)
    #expect(try await status(loader(TokenSource(for: [address], refreshing: tool, token: token))) == 200)
    let error = await #expect(throws: OAuth2Error.self) {
      try await tool.login(at: address + "/device") { code in try await post("/deny?code=" + code.userCode) }
    }
    #expect(error?.kind == .accessDenied)
  }
}
