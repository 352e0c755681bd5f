import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewLoading

@Suite(.timeLimit(.minutes(10))) struct ConcurrencyLimitTests {
  private let limit = ConcurrencyLimit(perOrigin: 2, waitingLimit: 5)

  @Test func `the queue serves the urgent first and equals in order`() {
    var queue = ConcurrencyQueue(limit: 1, waitingLimit: 4)
    let admissions = [
      queue.enter(1, .low), queue.enter(2, .normal), queue.enter(3, .low), queue.enter(4, .high),
      queue.enter(5, .normal), queue.enter(6, .high),
    ]
    #expect(admissions == [.go, .wait, .wait, .wait, .wait, .refuse])
    let withdrawals = [queue.withdraw(2), queue.withdraw(2)]
    #expect(withdrawals == [true, false])
    let turns = [queue.leave(), queue.leave(), queue.leave(), queue.leave(), queue.leave()]
    #expect(turns == [4, 5, 3, nil, nil])
    #expect(queue.isIdle)
  }

  private func loader(_ transport: any Transport) -> Loader { Loader(transport, interceptors: [limit]) }

  @Test func `only so many are on their way, until their bodies are read, dropped or failed`() async throws {
    let stub = StubTransport { asked in
      asked.index == 2 ? .failing(Fixture.lost(.protocolViolation)) : .text("hello")
    }
    let loader = loader(stub)
    let origin = try Origin(Fixture.url)
    let first = try await loader.load(Fixture.request())
    var second: Response? = try await loader.load(Fixture.request())
    let third = Task { try await loader.load(Fixture.request()) }
    await Fixture.wait(while: limit.count(for: origin).waiting == 0)
    #expect(stub.requestCount == 2)
    _ = try await first.body.collect(upTo: 9)
    await #expect(throws: NetworkError.self) { try await third.value }
    #expect(limit.count(for: origin) == (1, 0))
    _ = second
    second = nil
    #expect(limit.count(for: origin) == (0, 0))
    _ = try await loader.load(Fixture.request()).body.collect(upTo: 9)
    #expect(limit.count(for: origin) == (0, 0))
  }

  @Test func `another origin has places of its own, and too many waiting are refused`() async throws {
    let gate = ManualGate()
    let stub = StubTransport { _ in
      try await gate.wait()
      return .text("hello")
    }
    let loader = loader(stub)
    let origin = try Origin(Fixture.url)
    let tasks = (0..<7).map { _ in Task { try await loader.load(Fixture.request()).body.collect(upTo: 9) } }
    await Fixture.wait(while: limit.count(for: origin) != (2, 5))
    #expect(await Fixture.kind { _ = try await loader.load(Fixture.request()) } == .resourceExhausted)
    let other = Task { try await loader.load(Request(.get, URL(string: "http://other.test/") ?? Fixture.url)) }
    try await gate.waitForArrivals(3)
    gate.open()
    _ = try await other.value.body.collect(upTo: 9)
    for task in tasks { _ = try await task.value }
    #expect(limit.count(for: origin) == (0, 0))
  }

  @Test func `who is cancelled waits no more and keeps nobody waiting`() async throws {
    for round in 0..<200 {
      let limit = ConcurrencyLimit(perOrigin: 1)
      let stub = StubTransport(.text("hello"))
      let loader = Loader(stub, interceptors: [limit])
      let origin = try Origin(Fixture.url)
      let first = try await loader.load(Fixture.request())
      let waiting = (0..<4).map { _ in Task { try await loader.load(Fixture.request()).body.collect(upTo: 9) } }
      await Fixture.wait(while: limit.count(for: origin).waiting < 4)
      // Its turn may come at the same moment.
      let releasing = Task { _ = try await first.body.collect(upTo: 9) }
      waiting[round % 4].cancel()
      _ = try await releasing.value
      for task in waiting { _ = await task.result }
      #expect(limit.count(for: origin) == (0, 0))
    }
  }
}
