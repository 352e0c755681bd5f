import CurlewCore
import CurlewCurlTransport
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Requests that wait for a place, and what gives them one.
@Suite(.timeLimit(.minutes(10))) struct WaitingTests {
  /// What frees the only place.
  enum Release: CaseIterable {
    case cancelling, droppingTheBody, cancellingTheBody, readingToTheEnd, idleTimeout, totalTimeout, lostConnection
  }

  @Test(arguments: Release.allCases)
  func
    `a request that waits is started when the one before it is over, however that ended, and says how long it waited`(
      release: Release
    ) async throws
  {
    let gate = OriginGate()
    let cut = OriginGate()
    let origin = try await ScriptedOrigin.start { request in
      switch request.target {
      case "/next": .ok("next")
      case "/silent": OriginReply(.wait(for: gate))
      case "/cut": OriginReply(.wait(for: cut), .reset)
      default: OriginReply(.head(200, ["Content-Length": "10"]), .body("12345"), .wait(for: gate), .body("67890"))
      }
    }
    var configuration = CurlTransport.Configuration()
    configuration.requestsPerOrigin = 1
    let transport = try CurlTransport(configuration)
    var request = Request(.get, origin.url("/held"))
    if [.cancelling, .idleTimeout, .totalTimeout].contains(release) { request = Request(.get, origin.url("/silent")) }
    if release == .lostConnection { request = Request(.get, origin.url("/cut")) }
    if release == .idleTimeout { request.options.timeouts.idle = .milliseconds(200) }
    if release == .totalTimeout { request.options.timeouts.total = .milliseconds(200) }
    let isSilent = [.cancelling, .idleTimeout, .totalTimeout, .lostConnection].contains(release)
    let first = isSilent ? Task { [request] in try await transport.send(request, in: Exchange()) } : nil
    var response = isSilent ? nil : try await transport.send(request, in: Exchange())
    #expect(await origin.until { $0.requests == 1 })
    // It has given the request to the transport's thread when it first waits. The request is in the queue once a third, to another
    // origin, was sent after it and came back.
    let waiting = Exchange()
    let next = Task.immediate { try await transport.send(Request(.get, origin.url("/next")), in: waiting) }
    let other = try await ScriptedOrigin.start { _ in .ok("other") }
    _ = try await transport.send(Request(.get, other.url()), in: Exchange())
    let queued = ContinuousClock.now
    let least = queued.duration(to: .now)
    switch release {
    case .cancelling: first?.cancel()
    case .droppingTheBody: response = nil
    case .cancellingTheBody: response?.body.cancel()
    case .readingToTheEnd:
      gate.open()
      #expect(try await response?.body.collect(upTo: 10).count == 10)
    case .lostConnection: cut.open()
    case .idleTimeout, .totalTimeout: break
    }
    let answer = try await next.value
    #expect(answer.head.status == .ok)
    #expect(try await answer.body.collect(upTo: 10) == Data("next".utf8))
    let waited = try #require(waiting.metrics.first?.phases.queue)
    #expect(waited >= least && waited > .zero, "\(waited)")
    _ = await first?.result
    gate.open()
    _ = response
    await transport.shutdown()
    await origin.stop()
    await other.stop()
  }
}
