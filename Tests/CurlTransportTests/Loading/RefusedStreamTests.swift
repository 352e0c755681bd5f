import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Requests that an HTTP/2 server says it did not process (RFC 9113 §8.7).
@Suite(.enabled(if: CurlTransport.offersHTTP2, "this libcurl is not reliable over HTTP/2"))
struct RefusedStreamTests {
  private struct Sent {
    var outcome: Result<Int, any Error>
    /// The requests that the server has seen.
    var requests: [FrameOrigin.Request]
    /// The number of connections that it has accepted.
    var connections: Int
  }

  /// Sends a request through a loader to a server whose first reply to it is special and whose later ones are good.
  ///
  /// - Parameter isReused: Whether the connection has served a request before.
  private func send(
    _ method: HTTPRequest.Method, _ body: Body? = nil, isReused: Bool = false, version: VersionPolicy? = nil,
    speaksHTTP1: Bool = false, first: [FrameStep]
  ) async throws -> Sent {
    let identity = try TestIdentity.authority().issue()
    let special = isReused ? 2 : 1
    let origin = try FrameOrigin.start(identity, speaksHTTP1: speaksHTTP1) { request in
      request.number == special ? first : [.waitForUpload(nil), .head(201, ends: true)]
    }
    let transport = try CurlTransport.speaking(.http2)
    var settings = ExchangeSettings()
    settings.serverTrust = ExactTrustEvaluator(identity.chain.map { Data($0.der) })
    let loader = Loader(transport)
    if isReused { _ = try await loader.data(for: Request(.get, origin.url), upTo: 1, in: Exchange(settings)) }
    var request = Request(method, origin.url, body: body ?? (method == .get ? .empty : .text("a")))
    request.options.version = version
    let outcome: Result<Int, any Error>
    do {
      outcome = .success(try await loader.load(request, in: Exchange(settings)).head.status.code)
    } catch {
      outcome = .failure(error)
    }
    await transport.shutdown()
    origin.stop()
    let requests = Array(origin.requests.dropFirst(special - 1))
    return Sent(outcome: outcome, requests: requests, connections: origin.acceptedConnections)
  }

  /// What says that a request was not processed.
  private static let refusals: [[FrameStep]] = [
    [.reset(.refusedStream)], [.goAway(lastStream: 0), .close()], [.goAway(lastStream: 0)],
  ]

  @Test(arguments: [HTTPRequest.Method.post, .put, .get], [false, true])
  func `a refused request is sent again, once and on a connection of its own`(
    method: HTTPRequest.Method, isReused: Bool
  ) async throws {
    for refusal in Self.refusals {
      // A body of 60 kB takes several frames; one of 2 MB is refused while it is sent.
      for size in method == .get ? [0] : [1, 60_000, 2_000_000] {
        let sent = try await send(
          method, .bytes(Data(repeating: 0x61, count: size)), isReused: isReused,
          first: [.waitForUpload(size > 100_000 ? 20_000 : nil)] + refusal)
        #expect(try sent.outcome.get() == 201, "\(size) bytes, \(refusal)")
        #expect(sent.requests.count == 2 && Set(sent.requests.map(\.connection)).count == 2)
        #expect(sent.connections == 2, "no connection is opened that no request uses")
      }
    }
  }

  @Test(arguments: [HTTPRequest.Method.post, .get], [false, true])
  func `a request that must be made over HTTP/1.1 is made over it, whatever its method`(
    method: HTTPRequest.Method, isReused: Bool
  ) async throws {
    let first: [FrameStep] = [.waitForUpload(nil), .reset(.http11Required)]
    let sent = try await send(method, isReused: isReused, speaksHTTP1: true, first: first)
    #expect(try sent.outcome.get() == 201)
    #expect(sent.requests.map { $0.stream == 0 } == [false, true])
    #expect(sent.connections == 2)
    let strict = try await send(method, version: .http2, speaksHTTP1: true, first: first)
    #expect(try strict.outcome.get() == 201, "the version policy allows HTTP/1.1")
    let known = try await send(method, version: .http2PriorKnowledge, speaksHTTP1: true, first: first)
    #expect { try known.outcome.get() } throws: { ($0 as? NetworkError)?.details.streamErrorCode == 13 }
    #expect(known.requests.count == 1)
  }

  @Test func `a GET whose stream is reset or whose head is malformed is not sent again`() async throws {
    let replies: [[FrameStep]] = [[.reset(.cancel)], [.reset(.internalError)], [.section([("a", "b")], ends: true)]]
    for first in replies {
      for isReused in [false, true] {
        let sent = try await send(.get, isReused: isReused, first: first)
        #expect(throws: NetworkError.self) { try sent.outcome.get() }
        #expect(sent.requests.count == 1)
      }
    }
  }

  @Test func `a request on a reused connection that dies is lost, not refused`() async throws {
    for notified in [true, false] {
      let sent = try await send(.post, isReused: true, first: [.waitForUpload(nil), .close(notified: notified)])
      #expect { try sent.outcome.get() } throws: { error in
        let error = error as? NetworkError
        return error?.kind == .connectionLost && error?.maybeProcessed == true
      }
      #expect(sent.requests.count == 1 && sent.connections == 1)
      let again = try await send(.get, isReused: true, first: [.close(notified: notified)])
      #expect(try again.outcome.get() == 201)
      #expect(again.requests.count == 2 && again.connections == 2)
    }
  }

  @Test func `a POST whose stream is cancelled is not sent again`() async throws {
    let sent = try await send(.post, first: [.waitForUpload(nil), .reset(.cancel)])
    #expect(throws: NetworkError.self) { try sent.outcome.get() }
    #expect(sent.requests.count == 1)
  }

  @Test func `a GET whose head is cut is sent again`() async throws {
    let sent = try await send(.get, first: [.cutHead(200, count: 12), .close()])
    #expect(try sent.outcome.get() == 201)
    #expect(sent.requests.count == 2)
  }
}
