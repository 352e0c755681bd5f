import CurlewCore
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewCurlTransport

/// Sessions of servers that others wrote.
@Suite struct ResumptionPeersTests {
  private static func texts(
    _ url: String, _ count: Int, over transport: CurlTransport, delivery: ResponseDelivery = .streamed,
    _ version: VersionPolicy = .automatic
  ) async throws -> [String] {
    var settings = ExchangeSettings()
    settings.serverTrust = RecordingTrustEvaluator(key: "a")
    var texts: [String] = []
    for _ in 0..<count {
      var request = try Request(.get, url)
      request.options.version = version
      request.options.delivery = delivery
      let exchange = Exchange(settings).derived(freshConnection: true)
      let response = try await transport.send(request, in: exchange)
      texts.append(String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self))
    }
    return texts
  }

  @Test(
    .enabled(if: PeerProgram.isAvailable(), "openssl is not installed"),
    arguments: [["-tls1_2"], ["-tls1_2", "-no_ticket"], ["-tls1_3"], ["-tls1_3", "-no_ticket"]])
  func `openssl s_server resumes tickets and session ids of TLS 1.2, and both kinds of tickets of TLS 1.3`(
    arguments: [String]
  ) async throws {
    let files = try TestIdentity.selfSigned().writeFiles()
    defer { files.remove() }
    try await PeerProgram.serving(["-cert", files.chain, "-key", files.key] + arguments) { port in
      let transport = try CurlTransport()
      let texts = try await Self.texts("https://127.0.0.1:\(port)/", 4, over: transport)
      #expect(texts.map { $0.contains("Reused, TLSv1.") } == [false, true, true, true])
      await transport.shutdown()
    }
  }

  @Test(
    .enabled(if: NginxEndpoint.isAvailable, "nginx is not installed"),
    .enabled(if: CurlTransport.offersHTTP2, "this libcurl is not reliable over HTTP/2"),
    arguments: [ResponseDelivery.streamed, .collected], [VersionPolicy.http1, .http2])
  func `nginx resumes the sessions of all lanes, and none of another version's`(
    delivery: ResponseDelivery, version: VersionPolicy
  ) async throws {
    let nginx = try await NginxEndpoint.start(try .selfSigned())
    let transport = try CurlTransport()
    let other: VersionPolicy = version == .http1 ? .http2 : .http1
    #expect(try await Self.texts(nginx.resumption, 1, over: transport, other) == ["."])
    #expect(
      try await Self.texts(nginx.resumption, 4, over: transport, delivery: delivery, version) == [".", "r", "r", "r"])
    await transport.shutdown()
    await nginx.stop()
  }
}
