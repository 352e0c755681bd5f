import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewTestSupport
import Foundation
import HTTPTypes
import Testing

/// Requests to one origin that do not depend on each other.
@Suite struct StalledNeighbourTests {
  @Test(.timeLimit(.minutes(10)))
  func `a first request that is never answered holds up no other to its origin`() async throws {
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { request in
      request.target == "/stalled" ? OriginReply(.wait(for: gate)) : .ok("hello")
    }
    let transport = try CurlTransport()
    let loader = Loader(transport)
    let stalled = Task { try await loader.data(for: Request(.get, origin.url("/stalled")), upTo: 100) }
    await gate.reached()
    var request = Request(.get, origin.url())
    request.options.timeouts.total = .seconds(10)
    let (body, _) = try await loader.data(for: request, upTo: 100)
    #expect(body == Data("hello".utf8))
    stalled.cancel()
    await #expect(throws: CancellationError.self) { try await stalled.value }
    await transport.shutdown()
    await origin.stop()
  }
}
