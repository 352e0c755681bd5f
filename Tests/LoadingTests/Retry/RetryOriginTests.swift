import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Trying again against a real server.
@Suite(.timeLimit(.minutes(10))) struct RetryOriginTests {
  @Test(arguments: [true, false])
  func `a 503 with Retry-After is asked again when the server said`(inSeconds: Bool) async throws {
    let clock = ManualClock()
    let later = HTTPDate(clock.date.addingTimeInterval(17))
    let value = inSeconds ? "17" : later.description
    let origin = try await ScriptedOrigin.start(script: [
      .status(503, "busy", ["Retry-After": value]), .status(429, "slow down", ["Retry-After": "5"]), .ok("at last"),
    ])
    let transport = try CurlTransport()
    let policy = RetryPolicy(limit: 5, delay: .fixed(.seconds(1)))
    let transfer = RetryFixture.transfer(transport, policy, Request(.get, origin.url("/job")), clock: clock)
    #expect(try await RetryFixture.run(transfer, clock) == "at last")
    #expect(transfer.attempts.map { $0.response?.status.code } == [503, 429, 200])
    #expect(transfer.attempts.map(\.waited) == [.zero, .seconds(17), .seconds(5)])
    #expect(origin.requests.map(\.path) == ["/job", "/job", "/job"])
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `a cut body, a reset and a refused connection are tried again, a POST that may have arrived is not`()
    async throws
  {
    let clock = ManualClock()
    let origin = try await ScriptedOrigin.start(script: [
      .ok("0123456789").cut(after: 60), OriginReply(.reset), .ok("whole"),
    ])
    let transport = try CurlTransport()
    let policy = RetryPolicy(limit: 5, delay: .fixed(.seconds(1)))
    let get = RetryFixture.transfer(transport, policy, Request(.get, origin.url()), clock: clock)
    #expect(try await RetryFixture.run(get, clock) == "whole")
    #expect(get.attempts.first?.error != nil)

    let cutting = try await ScriptedOrigin.start(script: [OriginReply(.readUpload(), .reset).beforeUpload()])
    var request = Request(.post, cutting.url())
    request.body = .text("order")
    let post = RetryFixture.transfer(transport, policy, request, clock: clock)
    #expect(await Fixture.kind { _ = try await RetryFixture.run(post, clock) } == .connectionLost)
    #expect(post.attempts.map(\.maybeProcessed) == [true])
    #expect(cutting.requests.count == 1)

    // Nobody listens there any more: certainly not processed, so that even a POST is tried again.
    await cutting.stop()
    let refused = RetryFixture.transfer(transport, policy, request, clock: clock)
    #expect(await Fixture.kind { _ = try await RetryFixture.run(refused, clock) } == .connectionFailed)
    #expect(refused.attemptCount == 6)
    await transport.shutdown()
    await origin.stop()
  }
}
