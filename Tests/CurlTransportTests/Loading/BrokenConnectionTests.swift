import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// HTTP/2 connections on which the server violates the protocol, and which it leaves open (RFC 9113 §5.4.1).
@Suite(.enabled(if: CurlTransport.offersHTTP2, "this libcurl is not reliable over HTTP/2"))
struct BrokenConnectionTests {
  @Test(
    .timeLimit(.minutes(10)),
    arguments: [
      FrameStep.frame(6, stream: 0, [0, 0, 0, 0, 0, 0, 0]), .frame(9, flags: 4, [0x88]), .frame(0, stream: 0, [1]),
    ])
  func `every request on the connection ends at once, and the others are sent again`(frame: FrameStep) async throws {
    let identity = try TestIdentity.authority().issue()
    let origin = try FrameOrigin.start(identity) { request in
      switch request.number {
      case 2, 3: []
      case 4: [frame]
      default: [.head(200, ends: true)]
      }
    }
    let transport = try CurlTransport.speaking(.http2)
    var settings = ExchangeSettings()
    settings.serverTrust = ExactTrustEvaluator(identity.chain.map { Data($0.der) })
    let exchange = settings
    let loader = Loader(transport)
    let get: @Sendable () async throws -> Int = {
      var request = Request(.get, origin.url)
      request.options.timeouts.total = .seconds(20)
      return try await loader.data(for: request, upTo: 100, in: Exchange(exchange)).1.status.code
    }
    #expect(try await get() == 200)
    var tasks: [Task<Int, any Error>] = []
    for count in 2...4 {
      tasks.append(Task { try await get() })
      try await origin.requests(count)
    }
    var refused = 0
    for task in tasks {
      do {
        #expect(try await task.value == 200)
      } catch let error as NetworkError {
        #expect(error.kind == .protocolViolation)
        refused += 1
      }
    }
    #expect(refused == 1, "libcurl reports the violation to one of the requests")
    #expect(try await get() == 200)
    #expect(origin.requests.prefix(4).allSatisfy { $0.connection == 1 })
    #expect(origin.requests.count == 7 && origin.requests.dropFirst(4).allSatisfy { $0.connection != 1 })
    await transport.shutdown()
    origin.stop()
  }
}
