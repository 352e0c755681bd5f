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
  func `HTTP/2 is offered unasked from libcurl 8.14.0 on, not on 8.16`(number: UInt32, isReliable: Bool) {
    #expect(CurlLibrary.carriesHTTP2Reliably(number) == isReliable)
  }

  @Test func `where HTTP/2 is not offered unasked, a request that names it gets it all the same`() {
    #expect(HTTPOffer(.automatic, .https, offersHTTP2: false) == .http1)
    #expect(HTTPOffer(.automatic, .http, offersHTTP2: false) == .negotiated)
    #expect(HTTPOffer(.http2, .https, offersHTTP2: false) == .negotiated)
    #expect(HTTPOffer(.http2PriorKnowledge, .http, offersHTTP2: false) == .priorKnowledge)
    #expect(HTTPOffer(.automatic, .https, offersHTTP2: true) == .negotiated)
    #expect(HTTPOffer(.http1, .https, offersHTTP2: true) == .http1)
  }

  @Test(arguments: [VersionPolicy.automatic, .http1, .http2])
  func `the capabilities say whether HTTP/2 is offered unasked`(version: VersionPolicy) async throws {
    let transport = try CurlTransport.speaking(version)
    let expected =
      switch version {
      case .automatic: CurlLibrary.loaded.offersHTTP2
      default: version == .http2
      }
    #expect(transport.capabilities.contains(.automaticHTTP2) == expected)
    #expect(transport.capabilities.contains(.http2))
    await transport.shutdown()
  }

  @Test(.enabled(if: NginxEndpoint.isAvailable, "nginx is not installed"))
  func `a request that asks for HTTP/2 gets no connection to which only HTTP/1.1 was offered`() async throws {
    let nginx = try await NginxEndpoint.start(try TestIdentity.selfSigned())
    let place = nginx.open { _ in .text("hello") }
    let transport = try CurlTransport()
    for version in [nil, .http2, nil, .http1, .http2] as [VersionPolicy?] {
      var request = Request(.get, place.url())
      request.options.version = version
      let response = try await transport.send(request, in: Exchange(nginx.settings))
      _ = try await response.body.collect(upTo: 100)
      let speaksHTTP2 = version == .http2 || (version == nil && CurlLibrary.loaded.offersHTTP2)
      #expect(response.head.version == (speaksHTTP2 ? .http2 : .http11), "asked for \(version?.rawValue ?? "nothing")")
    }
    await transport.shutdown()
    await nginx.stop()
  }
}
