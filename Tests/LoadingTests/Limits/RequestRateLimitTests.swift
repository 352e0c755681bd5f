import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewLoading

@Suite(.timeLimit(.minutes(10))) struct RequestRateLimitTests {
  private let clock = ManualClock()

  private func loader(_ limit: RequestRateLimit, _ transport: any Transport) -> Loader {
    var chain = InterceptorChain()
    chain.perHop = [limit]
    return Loader(transport, chain: chain, settings: Fixture.settings(clock: clock))
  }

  /// Sends requests as soon as the pace allows, as one after the other waits for its turn.
  private func moments(_ count: Int, _ pace: inout RequestPace, from start: ContinuousClock.Instant) -> [Duration] {
    var now = start
    return (0..<count).map { _ in
      now = pace.moment(after: now)
      pace.send(at: now)
      return start.duration(to: now)
    }
  }

  @Test func `moments come one each interval, and as many at once as the burst after a rest`() {
    let start = ContinuousClock.now
    var pace = RequestPace(perSecond: 10, burst: 3)
    #expect(moments(6, &pace, from: start) == [0, 0, 0, 100, 200, 300].map { .milliseconds($0) })
    let later = start + .seconds(60)
    #expect(moments(4, &pace, from: later) == [0, 0, 0, 100].map { .milliseconds($0) })
    #expect(pace.wait(at: later) == .milliseconds(200))
    #expect(pace.wait(at: later + .seconds(1)) == .zero)
  }

  @Test func `a newcomer does not overtake those that wait, although the pace would let it go`() throws {
    let start = ContinuousClock.now
    var pace = RequestPace(perSecond: 10, burst: 1)
    #expect(pace.enter(at: start, longestWait: .seconds(5)) == .go)
    #expect(pace.enter(at: start, longestWait: .seconds(5)) == .wait(1))
    // The first one has not been woken yet.
    let later = start + .seconds(1)
    #expect(pace.moment(after: later) == later)
    #expect(pace.enter(at: later, longestWait: .seconds(5)) == .wait(2))
    #expect(pace.first == 1)
    pace.leave(1)
    pace.leave(2)
    #expect(pace.enter(at: later, longestWait: .seconds(5)) == .go)
  }

  @Test func `in no window are there more than the rate and the burst allow, whoever leaves the queue`() {
    var pace = RequestPace(perSecond: 7, burst: 4)
    var now = ContinuousClock.now
    var sent: [(ticket: RequestPace.Ticket, moment: ContinuousClock.Instant)] = []
    var waiting: [RequestPace.Ticket] = []
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<4_000 {
      now += .milliseconds(Int.random(in: 0...150, using: &generator))
      while let ticket = pace.first, pace.moment(after: now) <= now {
        pace.send(at: now)
        pace.leave(ticket)
        sent.append((ticket, now))
        #expect(waiting.first == ticket, "the order of arrival")
        waiting.removeFirst()
      }
      switch pace.enter(at: now, longestWait: .seconds(5)) {
      case .go: sent.append((sent.last?.ticket ?? 0, now))
      case .wait(let ticket): waiting.append(ticket)
      case .refuse: break
      }
      if Int.random(in: 0..<3, using: &generator) == 0, let ticket = waiting.randomElement(using: &generator) {
        pace.leave(ticket)
        waiting.removeAll { $0 == ticket }
      }
      #expect(pace.first == waiting.first)
    }
    #expect(sent.count > 1_000)
    for (index, one) in sent.enumerated() where index + 4 < sent.count {
      // The fifth of any five is at least one interval behind the first.
      #expect(one.moment.duration(to: sent[index + 4].moment) >= pace.interval - .nanoseconds(10))
    }
  }

  @Test func `those behind a request that leaves move up, and after a rest there is a whole burst again`() {
    let start = ContinuousClock.now
    var pace = RequestPace(perSecond: 1, burst: 3)
    for _ in 0..<3 { #expect(pace.enter(at: start, longestWait: .seconds(60)) == .go) }
    for ticket in 1...10 {
      #expect(pace.wait(at: start) == .seconds(ticket))
      #expect(pace.enter(at: start, longestWait: .seconds(60)) == .wait(UInt64(ticket)))
    }
    for ticket in [1, 3, 4] as [UInt64] { pace.leave(ticket) }
    #expect(pace.first == 2)
    #expect(pace.moment(after: start) == start + .seconds(1))
    #expect(pace.wait(at: start) == .seconds(8))
    for ticket in 1...10 as ClosedRange<UInt64> { pace.leave(ticket) }
    #expect(pace.first == nil)
    let later = start + .seconds(3)
    #expect((0..<4).map { _ in pace.enter(at: later, longestWait: .zero) } == [.go, .go, .go, .refuse])
  }

  @Test(arguments: [(0, 1), (-1, 1), (.nan, 1), (.infinity, 1), (1e300, .max), (1e-300, .min)])
  func `no number traps`(_ rate: Double, _ burst: Int) {
    var pace = RequestPace(perSecond: rate, burst: burst)
    let start = ContinuousClock.now
    for _ in 0..<10 {
      #expect(pace.moment(after: start) >= start)
      _ = pace.enter(at: start, longestWait: .seconds(1 << 40))
      #expect(pace.wait(at: start) >= .zero)
    }
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
    try await clock.waitForSleepers()
    #expect(recording.requests.count == 2)
    #expect(clock.untilNextSleeper == .milliseconds(500))
    clock.advance(by: .milliseconds(500))
    try await recording.waitForRequests(3)
    #expect(recording.requests.count == 3)
    try await clock.waitForSleepers()
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

  @Test func `requests are sent in order of arrival, also when one of them is cancelled`() async throws {
    let recording = RecordingTransport(StubTransport(.text("ok")))
    let limit = RequestRateLimit(perSecond: 1)
    let loader = loader(limit, recording)
    var tasks: [Task<Void, any Error>] = []
    for number in 0..<5 {
      let request = Request(.get, URL(string: "http://a.test/\(number)") ?? Fixture.url)
      tasks.append(Task { _ = try await loader.data(for: request, upTo: 10) })
      if number == 0 { try await tasks[0].value }
      while limit.waitingCount < number { await Task.yield() }
    }
    tasks[2].cancel()
    await #expect(throws: CancellationError.self) { try await tasks[2].value }
    tasks.append(Task { _ = try await loader.data(for: Fixture.request(), upTo: 10) })
    while limit.waitingCount < 4 { await Task.yield() }
    for count in 2...5 {
      try await clock.waitForSleepers()
      clock.advance(by: .seconds(1))
      try await recording.waitForRequests(count)
    }
    let last = Fixture.request().url.path
    #expect(recording.requests.map(\.url.path) == ["/0", "/1", "/3", "/4", last])
    for (number, task) in tasks.enumerated() where number != 2 { try await task.value }
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
