import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct CutHeadTests {
  @Test func `a GET whose head is cut is sent again`() async throws {
    for half in ["HTTP/1.1", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"] {
      let origin = try await ScriptedOrigin.start { request in
        request.connection == 1 ? OriginReply(.raw(half), .close) : .ok("whole")
      }
      let transport = try CurlTransport()
      let (body, _) = try await Loader(transport).data(for: Request(.get, origin.url()), upTo: 100)
      #expect(body == Data("whole".utf8))
      #expect(origin.requests.count == 2)
      await transport.shutdown()
      await origin.stop()
    }
  }
}
