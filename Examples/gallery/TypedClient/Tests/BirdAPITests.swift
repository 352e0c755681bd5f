import Curlew
import CurlewTestSupport
import FoundationEssentials
import Synchronization
import Testing

@testable import TypedClient

/// The client against a server that accepts only the newest token.
@Suite(.timeLimit(.minutes(10))) struct BirdAPITests {
  /// The server's side of the sign-in: each refresh token is good for one new pair.
  private final class TokenServer: Sendable {
    private let issued = Mutex(0)
    var count: Int { issued.withLock { $0 } }
    var accessToken: String { "access-\(count)" }

    func reply(to form: String) -> OriginReply {
      let isGood = issued.withLock { issued in
        guard form == "grant_type=refresh_token&refresh_token=refresh-\(issued)" else { return false }
        issued += 1
        return true
      }
      guard isGood else { return .json(#"{"error":"invalid_grant"}"#, status: 400) }
      return .json(#"{"access_token":"\#(accessToken)","refresh_token":"refresh-\#(count)","expires_in":3600}"#)
    }
  }

  private func withAPI(
    answering answer: @escaping ScriptedOrigin.Handler,
    revoking isRevoked: @escaping @Sendable (_ token: String) -> Bool = { _ in false },
    _ work: (BirdAPI, TokenServer, ScriptedOrigin) async throws -> Void
  ) async throws {
    let server = TokenServer()
    let origin = try await ScriptedOrigin.start { request in
      if request.path == "/v1/token" { return server.reply(to: String(decoding: await request.body(), as: UTF8.self)) }
      guard let token = request["Authorization"], token == "Bearer \(server.accessToken)", !isRevoked(token) else {
        return .status(401, ["WWW-Authenticate": "Bearer", "Content-Length": "0"])
      }
      return await answer(request)
    }
    try await work(try BirdAPI(baseURL: origin.address("/v1/"), refreshToken: "refresh-0"), server, origin)
    await origin.stop()
  }

  @Test func `calls are typed, and the first of them signs in`() async throws {
    try await withAPI(answering: { request in
      switch (request.method, request.target) {
      case ("GET", "/v1/birds/7"): .json(#"{"id":7,"name":"Curlew"}"#)
      case ("GET", "/v1/birds?place=Sylt"): .json(#"[{"id":7,"name":"Curlew"}]"#)
      case ("POST", "/v1/birds"): .json(String(decoding: await request.body(), as: UTF8.self), status: 201)
      case ("DELETE", "/v1/birds/7"): .status(204)
      default: .status(404)
      }
    }) { api, server, _ in
      let curlew = Bird(id: 7, name: "Curlew")
      #expect(try await api.bird(7) == curlew)
      #expect(try await api.birds(in: "Sylt") == [curlew])
      #expect(try await api.add(curlew) == curlew)
      try await api.remove(7)
      #expect(server.count == 1)
    }
  }

  @Test func `when a token is refused, eight calls renew it once and all succeed`() async throws {
    try await withAPI(
      answering: { _ in .json(#"{"id":7,"name":"Curlew"}"#) }, revoking: { $0 == "Bearer access-1" }
    ) { api, server, _ in
      try await withThrowingTaskGroup(of: Bird.self) { group in
        for _ in 0..<8 { group.addTask { try await api.bird(7) } }
        for try await bird in group { #expect(bird.name == "Curlew") }
      }
      #expect(server.count == 2)
    }
  }

  @Test func `a redirect to another origin does not take the token with it`() async throws {
    let other = try await ScriptedOrigin.start { _ in .json(#"{"id":7,"name":"Curlew"}"#) }
    try await withAPI(answering: { _ in .redirect(to: other.address("/birds/7")) }) { api, _, origin in
      let bird = try await api.bird(7)
      #expect(bird.id == 7)
      #expect(origin.requests.last?["Authorization"] == "Bearer access-1")
      #expect(other.requests.count == 1 && other.requests[0]["Authorization"] == nil)
    }
    await other.stop()
  }

  @Test func `an error has the problem details that the server sent`() async throws {
    try await withAPI(answering: { _ in
      .status(404, #"{"title":"No such bird","status":404}"#, type: "application/problem+json")
    }) { api, _, _ in
      let error = await #expect(throws: NetworkError.self) { try await api.bird(8) }
      #expect(error?.kind == .unacceptableStatus)
      #expect(error?.decodedBody(as: ProblemDetails.self)?.title == "No such bird")
    }
  }
}
