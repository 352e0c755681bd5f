import CurlewCore
import CurlewTestHarness
import CurlewTestSupport
import HTTPTypes
import Testing

@testable import CurlewCurlTransport

@Suite struct HTTPOfferTests {
  @Test(
    arguments: [
      (0x07_50_00, false), (0x07_58_00, false), (0x07_58_01, false), (0x08_00_01, false), (0x08_02_01, false),
      (0x08_05_00, false), (0x08_0d_00, false), (0x08_0e_00, true), (0x08_0e_01, true), (0x08_0f_00, true),
      (0x08_10_00, false), (0x08_10_02, false), (0x08_11_00, true), (0x08_17_00, true),
    ] as [(UInt32, Bool)])
  func `HTTP/2 is offered from libcurl 8.14.0 on, not on 8.16`(number: UInt32, isReliable: Bool) {
    #expect(CurlLibrary.carriesHTTP2Reliably(number) == isReliable)
  }

  @Test func `where HTTP/2 is not offered, only HTTP/1.1 is`() {
    #expect(HTTPOffer(.automatic, .https, offersHTTP2: false) == .http1)
    #expect(HTTPOffer(.automatic, .http, offersHTTP2: false) == .negotiated)
    #expect(HTTPOffer(.automatic, .https, offersHTTP2: true) == .negotiated)
    #expect(HTTPOffer(.http2, .https, offersHTTP2: true) == .negotiated)
    #expect(HTTPOffer(.http1, .https, offersHTTP2: true) == .http1)
    #expect(HTTPOffer(.http2PriorKnowledge, .http, offersHTTP2: true) == .priorKnowledge)
  }

  @Test func `the capabilities say whether HTTP/2 is offered`() {
    for version in VersionPolicy.allCases {
      var configuration = CurlTransport.Configuration()
      configuration.version = version
      let capabilities = CurlTransport.capabilities(of: configuration)
      #expect(capabilities.contains(.http2) == CurlLibrary.carriesHTTP2Reliably(CurlLibrary.loaded.number))
      #expect(capabilities.contains(.automaticHTTP2) == (capabilities.contains(.http2) && version != .http1))
    }
  }

  @Test(.enabled(if: !CurlTransport.offersHTTP2, "this libcurl is reliable over HTTP/2"))
  func `HTTP/2 by name is refused where libcurl is not reliable over it, before a byte is sent`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("hello") }
    let transport = try CurlTransport()
    for version in [VersionPolicy.http2, .http2PriorKnowledge] {
      var request = Request(.get, origin.url())
      request.options.version = version
      let refused = await #expect(throws: NetworkError.self) { try await transport.send(request, in: Exchange()) }
      #expect(refused?.kind == .unsupported && refused?.details.missing == .http2)
      let failed = #expect(throws: NetworkError.self) { try CurlTransport.speaking(version) }
      #expect(failed?.kind == .unsupported && failed?.details.missing == .http2)
      #expect(failed?.message.contains(CurlTransport.libraryVersion) == true)
      for error in [refused, failed] { #expect(error?.description.contains("trait AsyncHTTPClient") == true) }
    }
    #expect(origin.requests.isEmpty)
    await transport.shutdown()
    await origin.stop()
  }

  @Test(
    .enabled(if: NginxEndpoint.isAvailable, "nginx is not installed"),
    .enabled(if: CurlTransport.offersHTTP2, "this libcurl is not reliable over HTTP/2"))
  func `a request that asks for HTTP/2 gets no connection to which only HTTP/1.1 was offered`() async throws {
    let nginx = try await NginxEndpoint.start(try TestIdentity.selfSigned())
    let place = nginx.open { _ in .text("hello") }
    let transport = try CurlTransport()
    for version in [nil, .http2, nil, .http1, .http2] as [VersionPolicy?] {
      var request = Request(.get, place.url())
      request.options.version = version
      let response = try await transport.send(request, in: Exchange(nginx.settings))
      _ = try await response.body.collect(upTo: 100)
      #expect(
        response.head.version == (version == .http1 ? .http11 : .http2), "asked for \(version?.rawValue ?? "nothing")")
    }
    await transport.shutdown()
    await nginx.stop()
  }
}
