import CurlewCore
import CurlewCurlTransport
import CurlewTestSupport
import HTTPTypes
import Testing

@Suite struct SecuredEventTests {
  @Test func `a completed handshake is told before its connection, and not again when the connection is reused`()
    async throws
  {
    let authority = try TestIdentity.authority()
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(authority.issue())) { _ in .ok("") }
    let observer = RecordingObserver()
    var settings = ExchangeSettings()
    settings.serverTrust = RecordingTrustEvaluator()
    settings.observers = [observer]
    let transport = try CurlTransport()
    for _ in 1...2 {
      let response = try await transport.send(Request(.get, origin.url()), in: Exchange(settings))
      await response.body.discard()
    }
    await transport.shutdown()
    await origin.stop()
    let names = observer.kinds.map(\.name).filter { ["secured", "connected"].contains($0) }
    #expect(names == ["secured", "connected", "connected"])
    for case .secured(let version, let suite, _) in observer.kinds {
      #expect(version == "TLSv1.3" && suite.hasPrefix("TLS_"))
    }
  }
}
