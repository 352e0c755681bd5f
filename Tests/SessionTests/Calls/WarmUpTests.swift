import CurlewCore
import CurlewCurlTransport
import CurlewRequests
import CurlewSerialization
import CurlewTestSupport
import HTTPTypes
import Testing

@testable import CurlewSession

@Suite(.timeLimit(.minutes(10))) struct WarmUpTests {
  @Test func `connections that were warmed up carry the first requests`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .status(404, "none").delayed(by: .milliseconds(50)) }
    let session = try HTTPSession(SessionConfiguration(.made { try CurlTransport() })).with {
      $0.baseURL = try BaseURL(origin.url("/"))
    }
    #expect(await session.warmUp(connections: 3) == 3)
    #expect(origin.requests.map(\.method) == ["HEAD", "HEAD", "HEAD"])
    #expect(Set(origin.requests.map(\.connection)).count == 3)
    _ = await networkError { try await session.get("", .data) }
    #expect(origin.requests.last?.isOnReusedConnection == true)
    await origin.stop()
    #expect(await session.warmUp() == 0)
  }
}
