import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewSecurity
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Server trust as `NSURLConnection`'s delegates know it.
@Suite(.timeLimit(.minutes(10))) struct ConnectionTrustTests {
  private final class Delegate: ConnectionDelegate {
    struct State {
      var calls: [String] = []
      var ending: CheckedContinuation<(any Error)?, Never>?
    }
    let accepts: Bool
    let state = Guarded(State())

    init(accepts: Bool) { self.accepts = accepts }

    func note(_ call: String) { state.withLock { $0.calls.append(call) } }

    func connection(_ connection: Connection, canAuthenticateAgainst space: ProtectionSpace) -> Bool {
      note("can \(space.scheme)")
      return true
    }

    func connection(_ connection: Connection, didReceive challenge: Challenge, reply: ChallengeReply) {
      note("challenge \(challenge.serverTrust?.reason.rawValue ?? "none")")
      guard accepts, let trust = challenge.serverTrust?.trust else { return reply(.defaultHandling) }
      reply(.use(.serverTrust(trust)))
    }

    func connection(_ connection: Connection, didReceive response: ResponseHead) { note("response") }
    func connection(_ connection: Connection, didReceive data: Data) { note("data") }

    func connectionDidFinishLoading(_ connection: Connection) { end(nil) }
    func connection(_ connection: Connection, didFailWith error: any Error) { end(error) }

    private func end(_ error: (any Error)?) {
      state.withLock { $0.ending }?.resume(returning: error)
    }
  }

  @Test func `a delegate that accepts the certificate gets the response, one that does not gets the refusal`()
    async throws
  {
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(try .selfSigned())) { _ in .ok("hello") }
    let transport = try CurlTransport()
    for accepts in [false, true] {
      let loader = Loader(transport, chain: InterceptorChain(serverTrust: ServerTrustAsking()))
      let delegate = Delegate(accepts: accepts)
      var settings = ExchangeSettings()
      settings.serverTrust = try SecurityPolicy.system()
      let connection = Connection(
        Request(.get, origin.url("/", host: "localhost")), over: loader, delegate: delegate, settings: settings)
      let error = await withCheckedContinuation { continuation in
        delegate.state.withLock { $0.ending = continuation }
        connection.start()
      }
      let calls = delegate.state.withLock { $0.calls }
      #expect((error as? NetworkError)?.kind == (accepts ? nil : .serverTrustRefused))
      #expect(
        calls == ["can server-trust", "challenge untrusted"] + (accepts ? ["response", "data"] : []), "\(calls)")
    }
    #expect(origin.requests.count == 1)
    await transport.shutdown()
    await origin.stop()
  }
}
