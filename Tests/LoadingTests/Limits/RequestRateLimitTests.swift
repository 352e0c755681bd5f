import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewLoading

@Suite(.timeLimit(.minutes(2))) struct RequestRateLimitTests {
  private let clock = ManualClock()

  private func loader(_ limit: RequestRateLimit, _ transport: any Transport) -> Loader {
    var chain = InterceptorChain()
    chain.perHop = [limit]
    return Loader(transport, chain: chain, settings: Fixture.settings(clock: clock))
  }

  @Test func `moments come one each interval, and as many at once as the burst after a rest`() {
    let start = ContinuousClock.now
    var pace = RequestPace(perSecond: 10, burst: 3)
    let moments = (0..<6).map { _ in start.duration(to: pace.take(at: start)) }
    #expect(moments == [0, 0, 0, 100, 200, 300].map { .milliseconds($0) })
    let later = start + .seconds(60)
    #expect((0..<4).map { _ in later.duration(to: pace.take(at: later)) } == [0, 0, 0, 100].map { .milliseconds($0) })
    #expect(pace.wait(at: later) == .milliseconds(200))
    #expect(pace.wait(at: later + .seconds(1)) == .zero)
  }

  @Test func `in no window are there more than the rate and the burst allow`() {
    var pace = RequestPace(perSecond: 7, burst: 4)
    var now = ContinuousClock.now
    var moments: [ContinuousClock.Instant] = []
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      now += .milliseconds(Int.random(in: 0...200, using: &generator))
      let moment = pace.take(at: now)
      if Bool.random(using: &generator) || moment <= now { moments.append(moment) } else { pace.giveBack(moment) }
    }
    moments.sort()
    for (index, moment) in moments.enumerated() where index + 4 < moments.count {
      // The fifth of any five is at least one interval behind the first.
      #expect(moment.duration(to: moments[index + 4]) >= pace.interval - .nanoseconds(10))
    }
  }

  @Test func `a moment that is given back goes to the next request`() {
    let start = ContinuousClock.now
    var pace = RequestPace(perSecond: 1, burst: 1)
    let moments = (0..<4).map { _ in pace.take(at: start) }
    pace.giveBack(moments[2])
    pace.giveBack(moments[1])
    #expect(pace.wait(at: start) == .seconds(1))
    #expect(pace.take(at: start) == moments[1])
    #expect(pace.take(at: start) == moments[2])
    #expect(pace.take(at: start) == start + .seconds(4))
    pace.giveBack(moments[1])
    #expect(pace.take(at: start + .seconds(2)) == start + .seconds(5), "a moment that has passed is lost")
  }

  @Test(arguments: [(0, 1), (-1, 1), (.nan, 1), (.infinity, 1), (1e300, .max), (1e-300, .min)])
  func `no number traps`(_ rate: Double, _ burst: Int) {
    var pace = RequestPace(perSecond: rate, burst: burst)
    let start = ContinuousClock.now
    for _ in 0..<10 { #expect(pace.take(at: start) >= start) }
  }

  @Test func `requests wait for their turn`() async throws {
    let recording = RecordingTransport(StubTransport(.text("ok")))
    let loader = loader(RequestRateLimit(perSecond: 2, burst: 2), recording)
    let all = Task {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { _ = try await loader.data(for: Fixture.request(), upTo: 10) } }
        try await group.waitForAll()
      }
    }
    try await recording.waitForRequests(2)
    try await clock.waitForSleepers(2)
    #expect(recording.requests.count == 2)
    #expect(clock.untilNextSleeper == .milliseconds(500))
    clock.advance(by: .milliseconds(500))
    try await recording.waitForRequests(3)
    #expect(recording.requests.count == 3)
    clock.advance(by: .milliseconds(500))
    try await all.value
  }

  @Test func `a request that is cancelled while it waits gives its turn back`() async throws {
    let stub = StubTransport(.text("ok"))
    let loader = loader(RequestRateLimit(perSecond: 1), stub)
    _ = try await loader.data(for: Fixture.request(), upTo: 10)
    let waiting = Task { try await loader.data(for: Fixture.request(), upTo: 10) }
    try await clock.waitForSleepers()
    waiting.cancel()
    await #expect(throws: CancellationError.self) { _ = try await waiting.value }
    let next = Task { try await loader.data(for: Fixture.request(), upTo: 10) }
    try await clock.waitForSleepers()
    #expect(clock.untilNextSleeper == .seconds(1))
    clock.advance(by: .seconds(1))
    _ = try await next.value
  }

  @Test func `a wait that would be too long is an error before anything is sent`() async throws {
    let stub = StubTransport(.text("ok"))
    let loader = loader(RequestRateLimit(perSecond: 1, longestWait: .milliseconds(500)), stub)
    _ = try await loader.data(for: Fixture.request(), upTo: 10)
    let error = await #expect(throws: NetworkError.self) { try await loader.data(for: Fixture.request(), upTo: 10) }
    #expect(error?.kind == .resourceExhausted)
    #expect(stub.requestCount == 1)
    clock.advance(by: .milliseconds(600))
    let task = Task { try await loader.data(for: Fixture.request(), upTo: 10) }
    try await clock.waitForSleepers()
    clock.advance(by: .milliseconds(400))
    _ = try await task.value
  }
}
