import CurlewCore
import CurlewCurlTransport
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(
  .enabled(if: NghttpdServer.isAvailable, "nghttpd is not installed"),
  .enabled(if: CurlTransport.offersHTTP2, "this libcurl is not reliable over HTTP/2"))
struct NghttpdTests {
  private static let text = [UInt8]("Curlew calls over the estuary.".utf8)

  private func run(
    trailers: OriginFields = [:], _ body: (NghttpdServer, CurlTransport) async throws -> Void
  ) async throws {
    let identity = try TestIdentity.authority().issue()
    let server = try await NghttpdServer.start(identity, contents: ["a.txt": Self.text], trailers: trailers)
    let transport = try CurlTransport.speaking(.http2)
    try await body(server, transport)
    await transport.shutdown()
    server.stop()
  }

  @Test(arguments: [false, true])
  func `trailers over HTTP/2 are there after the end`(ofLength: Bool) async throws {
    try await run(trailers: ["x-sum": "1", "x-other": "2"]) { server, transport in
      // nghttpd announces the length of a file, and that of an echo when it has all of it before it answers.
      let echo = Request(.post, server.url("echo"), body: .bytes(Data(Self.text)))
      let request = ofLength ? Request(.get, server.url("a.txt")) : echo
      let response = try await transport.send(request, in: Exchange(server.settings))
      #expect(response.head.version == .http2)
      #expect(response.head.expectedLength != nil || !ofLength)
      #expect(response.body.trailers == nil)
      #expect(try await response.body.collect(upTo: 100) == Data(Self.text))
      let sum = try #require(HTTPField.Name("x-sum"))
      let other = try #require(HTTPField.Name("x-other"))
      #expect(response.head.headerFields[sum] == nil)
      #expect(response.body.trailers?[sum] == "1")
      #expect(response.body.trailers?[other] == "2")
    }
  }

  @Test func `an upload over HTTP/2 comes back as it was sent`() async throws {
    try await run { server, transport in
      let bytes = Data(BytePattern.seeded(7).bytes(count: 3_000_000))
      let request = Request(.post, server.url("echo"), body: .bytes(bytes))
      let response = try await transport.send(request, in: Exchange(server.settings))
      #expect(try await response.body.collect(upTo: 4_000_000) == bytes)
    }
  }

  @Test func `100 Continue over HTTP/2 is an event, and the body follows`() async throws {
    try await run { server, transport in
      var settings = server.settings
      let observer = RecordingObserver()
      settings.observers = [observer]
      var request = Request(.post, server.url("echo"), body: .bytes(Data(Self.text)))
      request.options.expectsContinue = true
      let response = try await transport.send(request, in: Exchange(settings))
      #expect(try await response.body.collect(upTo: 100) == Data(Self.text))
      let heads = observer.kinds.compactMap { if case .informational(let head) = $0 { head.status.code } else { nil } }
      #expect(heads == [100])
    }
  }
}
