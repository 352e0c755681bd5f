import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Requests that an HTTP/2 server says it did not process (RFC 9113 §8.7), and heads that never came whole.
@Suite struct RefusedStreamTests {
  /// Sends a request through a loader to a server whose first reply is special and whose later ones are good.
  private func send(
    _ method: HTTPRequest.Method, first: [FrameStep]
  ) async throws -> (outcome: Result<Int, any Error>, requests: [FrameOrigin.Request]) {
    let identity = try TestIdentity.authority().issue()
    let origin = try FrameOrigin.start(identity) { request in
      request.number == 1 ? first : [.waitForUpload(nil), .head(201, ends: true)]
    }
    let transport = try CurlTransport.speaking(.http2)
    var settings = ExchangeSettings()
    settings.serverTrust = ExactTrustEvaluator(identity.chain.map { Data($0.der) })
    let request = Request(method, origin.url, body: method == .get ? .empty : .text("a"))
    let outcome: Result<Int, any Error>
    do {
      outcome = .success(try await Loader(transport).load(request, in: Exchange(settings)).head.status.code)
    } catch {
      outcome = .failure(error)
    }
    await transport.shutdown()
    origin.stop()
    return (outcome, origin.requests)
  }

  @Test(arguments: [HTTPRequest.Method.post, .put, .get])
  func `a refused request is sent again, once and on a fresh connection`(method: HTTPRequest.Method) async throws {
    let (outcome, requests) = try await send(method, first: [.waitForUpload(nil), .reset(.refusedStream)])
    #expect(try outcome.get() == 201)
    // libcurl opens a connection for a sending of its own, which is then refused.
    #expect(requests.count == 2 && Set(requests.map(\.connection)).count == 2)
  }

  @Test(arguments: [HTTPRequest.Method.post, .get])
  func `a request that GOAWAY says was not processed is sent again`(method: HTTPRequest.Method) async throws {
    let (outcome, requests) = try await send(method, first: [.waitForUpload(nil), .goAway(lastStream: 0), .close()])
    #expect(try outcome.get() == 201)
    // libcurl opens a connection for a sending of its own, which is then refused.
    #expect(requests.count == 2 && Set(requests.map(\.connection)).count == 2)
  }

  @Test func `a POST whose stream is cancelled is not sent again`() async throws {
    let (outcome, requests) = try await send(.post, first: [.waitForUpload(nil), .reset(.cancel)])
    #expect(throws: NetworkError.self) { try outcome.get() }
    #expect(requests.count == 1)
  }

  @Test func `a GET whose head is cut is sent again, over HTTP/2 and over HTTP/1.1`() async throws {
    let (outcome, requests) = try await send(.get, first: [.cutHead(200, count: 12), .close()])
    #expect(try outcome.get() == 201)
    #expect(requests.count == 2)
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
