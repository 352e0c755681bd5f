import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewCurlTransport

/// URLs whose scheme is not that of the port.
@Suite struct WrongSchemeTests {
  @Test func `the error says that a port with plain HTTP speaks no TLS`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("hello") }
    let error = try await failure(at: "https://127.0.0.1:\(origin.port)/")
    #expect(error.kind == .handshakeFailed)
    #expect(error.message.hasPrefix("The server does not speak TLS at this port; check the port"), "\(error)")
    await origin.stop()
  }

  @Test func `the error says that the bytes of a port with TLS are not HTTP`() async throws {
    let tls = OriginTLS(try TestIdentity.authority().issue())
    let origin = try await ScriptedOrigin.start(tls: tls) { _ in .ok("hello") }
    let error = try await failure(at: "http://127.0.0.1:\(origin.port)/")
    #expect(error.kind == .protocolViolation)
    #expect(error.message.hasPrefix("The server's bytes are not HTTP; check the port"), "\(error)")
    await origin.stop()
  }

  private func failure(at url: String) async throws -> NetworkError {
    let transport = try CurlTransport()
    let request = try Request(.get, url)
    let error = await #expect(throws: NetworkError.self) { _ = try await transport.send(request, in: Exchange()) }
    await transport.shutdown()
    return try #require(error)
  }
}
