import CurlewCore
import CurlewCurlTransport
import CurlewSecurity
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// A decision that takes time: refuse, ask, connect again with exactly what was shown.
@Suite struct AskingTests {
  @Test func `who says yes to a certificate gets to that server, and to no other that comes in its place`() async throws
  {
    let shown = try TestIdentity.selfSigned()
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(shown)) { _ in .ok("hello") }
    let transport = try CurlTransport()
    var settings = ExchangeSettings()
    settings.serverTrust = try SecurityPolicy.system()
    let exchange = Exchange(settings)
    let request = Request(.post, origin.url("/", host: "localhost"), body: .text("secret"))

    let error = await #expect(throws: NetworkError.self) { try await transport.send(request, in: exchange) }
    let refusal = try #require(error?.details.trust)
    let trust = try #require(refusal.trust)
    #expect(refusal.reason == .untrusted && error?.maybeProcessed == false)
    #expect(trust.certificates.first == Data(shown.certificate.der))
    #expect(origin.requests.isEmpty)

    let exact = try await Self.ask(about: trust)
    let trusting = exchange.derived(attempt: 2) { $0.serverTrust = exact }
    for _ in 0..<3 {
      let response = try await transport.send(request, in: trusting)
      _ = try await response.body.collect(upTo: 100)
    }
    #expect(origin.requests.count == 3 && origin.counters.handshakes == 1)
    // The first policy still refuses, though a connection is open that another accepted.
    await #expect(throws: NetworkError.self) { try await transport.send(request, in: exchange) }

    let impostor = try await ScriptedOrigin.start(tls: OriginTLS(try .selfSigned())) { _ in .ok("hello") }
    let elsewhere = Request(.post, impostor.url("/", host: "localhost"), body: .text("secret"))
    let second = await #expect(throws: NetworkError.self) { try await transport.send(elsewhere, in: trusting) }
    #expect(second?.details.trust?.reason == .pinMismatch)
    #expect(impostor.requests.isEmpty && origin.requests.count == 3)
    await transport.shutdown()
    await origin.stop()
    await impostor.stop()
  }

  /// Stands for a person who takes a while.
  private static func ask(about trust: ServerTrust) async throws -> ExactCertificateTrust {
    await Task.yield()
    let leaf = try #require(trust.certificates.first)
    return try ExactCertificateTrust(try Certificate(der: leaf), host: trust.host)
  }
}
