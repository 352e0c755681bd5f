import CurlewCore
import CurlewTestSupport
import CurlewURLSessionTransport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct TimeoutTests {
  private func exchange(on clock: ManualClock, deadline: Duration? = nil) -> Exchange {
    var settings = ExchangeSettings()
    settings.clock = clock
    settings.deadline = deadline.map { clock.now.advanced(by: $0) }
    return Exchange(settings)
  }

  @Test func `a fraction of a second is kept to the exchange's clock`() async throws {
    let gate = OriginGate()
    try await withOrigin { _ in
      .ok("x").pausing(at: gate)
    } _: { origin, transport in
      let clock = ManualClock()
      var request = Request(.get, origin.url())
      request.options.timeouts.idle = .milliseconds(900)
      let timed = exchange(on: clock)
      async let outcome = failure { _ = try await transport.send(request, in: timed) }
      await gate.reached()
      try await clock.waitForSleepers()
      clock.advance(by: .milliseconds(899))
      #expect(clock.sleeperCount == 1)
      clock.advance(by: .milliseconds(1))
      let error = try await outcome
      #expect(error.kind == .idleTimedOut)
      #expect(error.stage == .awaitingHead)
      #expect(error.isTimeout && error.maybeProcessed)
      gate.open()
    }
  }

  @Test func `the whole never stands still, and names the body`() async throws {
    let gate = OriginGate()
    try await withOrigin { _ in
      OriginReply(.head(200, ["Content-Length": "10"]), .body("hello"), .wait(for: gate))
    } _: { origin, transport in
      let clock = ManualClock()
      var request = Request(.get, origin.url())
      request.options.timeouts = Timeouts(idle: .seconds(50), total: .seconds(60))
      let response = try await transport.send(request, in: exchange(on: clock))
      var iterator = response.body.makeAsyncIterator()
      #expect(try await iterator.next() == Data("hello".utf8))
      try await clock.waitForSleepers()
      clock.advance(by: .seconds(60))
      let error = try await failure { _ = try await iterator.next() }
      #expect(error.kind == .timedOut)
      #expect(error.stage == .receivingBody)
      #expect(error.details.bytesReceived == 5)
      gate.open()
    }
  }

  @Test func `a byte begins the idle time again`() async throws {
    let (first, second) = (OriginGate(), OriginGate())
    try await withOrigin { _ in
      OriginReply(
        .wait(for: first), .head(200, ["Content-Length": "10"]), .body("hello"), .wait(for: second), .body("world"))
    } _: { origin, transport in
      let clock = ManualClock()
      var request = Request(.get, origin.url())
      request.options.timeouts.idle = .seconds(10)
      let timed = exchange(on: clock)
      let sending = Task { [request] in try await transport.send(request, in: timed) }
      await first.reached()
      try await clock.waitForSleepers()
      clock.advance(by: .seconds(8))
      first.open()
      let response = try await sending.value
      var iterator = response.body.makeAsyncIterator()
      #expect(try await iterator.next() == Data("hello".utf8))
      clock.advance(by: .seconds(8))
      second.open()
      #expect(try await iterator.next() == Data("world".utf8))
      #expect(try await iterator.next() == nil)
    }
  }

  @Test func `a deadline that has passed sends nothing, and one to come ends it`() async throws {
    let gate = OriginGate()
    try await withOrigin { _ in
      .ok().pausing(at: gate)
    } _: { origin, transport in
      let clock = ManualClock()
      let error = try await failure {
        _ = try await transport.send(Request(.get, origin.url()), in: exchange(on: clock, deadline: .zero))
      }
      #expect(error.kind == .timedOut)
      #expect(!error.maybeProcessed)
      let timed = exchange(on: clock, deadline: .seconds(5))
      async let outcome = failure { _ = try await transport.send(Request(.get, origin.url()), in: timed) }
      await gate.reached()
      try await clock.waitForSleepers()
      clock.advance(by: .seconds(5))
      #expect(try await outcome.kind == .timedOut)
      #expect(origin.requests.count == 1)
      gate.open()
    }
  }

  @Test func `waiting for a place counts in no timeout`() async throws {
    let gate = OriginGate()
    var configuration = URLSessionTransport.Configuration()
    configuration.requestsAtOnce = 1
    try await withOrigin(OriginOptions(), configuration) { request in
      request.path == "/held" ? .ok("held").pausing(at: gate) : .ok("x")
    } _: { origin, transport in
      let clock = ManualClock()
      async let held = transport.fetch(Request(.get, origin.url("/held")))
      await gate.reached()
      var request = Request(.get, origin.url("/waiting"))
      request.options.timeouts = Timeouts(idle: .seconds(1), total: .seconds(1))
      let timed = exchange(on: clock)
      let waiting = Task { [request] in try await transport.fetch(request, in: timed).body }
      clock.advance(by: .seconds(3600))
      #expect(clock.sleeperCount == 0)
      gate.open()
      let bodies = [try await held.body, try await waiting.value]
      #expect(bodies == [Data("held".utf8), Data("x".utf8)])
    }
  }
}
