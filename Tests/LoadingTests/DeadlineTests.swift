import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct DeadlineTests {
  let clock = ManualClock()
  let observer = RecordingObserver()

  private func settings(_ after: Duration) -> ExchangeSettings {
    var settings = Fixture.settings(clock: clock, observer: observer)
    settings.deadline = clock.now.advanced(by: after)
    return settings
  }

  @Test func `a deadline that has passed sends nothing`() async {
    let stub = StubTransport(.text(""))
    let loader = Loader(stub, settings: settings(.zero))
    #expect(await Fixture.kind { _ = try await loader.load(Fixture.request()) } == .timedOut)
    #expect(stub.requestCount == 0)
    #expect(observer.names == ["started", "finished"])
  }

  @Test func `a deadline ends the wait for a head`() async throws {
    let loader = Loader(
      FailingTransport(StubTransport(.text("")), script: [.stallBeforeHead]), settings: settings(.seconds(5)))
    let loading = Task { try await loader.load(Fixture.request()) }
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    let error = await #expect(throws: NetworkError.self) { try await loading.value }
    #expect(error?.kind == .timedOut)
    #expect(error?.maybeProcessed == true)
    // The deadline's own task may be the one that tells it.
    try await observer.waitForFinished()
    #expect(observer.outcomes.count == 1)
    #expect(clock.sleeperCount == 0)
  }

  @Test(arguments: [true, false])
  func `a deadline ends a body`(drains: Bool) async throws {
    let stub = StubTransport(StubAnswer(body: [.bytes(Data([1])), .stall]))
    let response = try await Loader(stub, settings: settings(.seconds(5))).load(Fixture.request())
    let reading = Task {
      if drains {
        try await response.body.drain(into: KeepingSink())
      } else {
        _ = try await response.body.collect(upTo: 9)
      }
    }
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    #expect(await Fixture.kind { try await reading.value } == .timedOut)
    // The deadline's own task may be the one that tells it.
    try await observer.waitForFinished()
    #expect(observer.outcomes.count == 1)
    #expect(stub.inFlightCount == 0)
  }

  @Test func `a deadline that passes in the middle of a stored body leaves no short one`() async throws {
    let caching = Caching(MemoryCacheStore(capacity: 16 << 20))
    let stub = StubTransport { _ in .bytes(Data(count: 500_000), headerFields: [.cacheControl: "max-age=1000"]) }
    let loader = Loader(stub, interceptors: [caching], settings: settings(.seconds(5)))
    #expect(try await loader.data(for: Fixture.request(), upTo: 1 << 20).0.count == 500_000)
    let response = try await loader.load(Fixture.request())
    #expect(response.head.source == .cache)
    var iterator = response.body.makeAsyncIterator()
    let first = try await iterator.next()
    #expect(first.map { $0.count < 500_000 } == true)
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    let kind = await Fixture.kind { while try await iterator.next() != nil { await Task.yield() } }
    #expect(kind == .timedOut)
  }

  @Test func `a deadline that passes while nobody reads is told to the reader`() async throws {
    let stub = StubTransport(StubAnswer(body: [.bytes(Data([1])), .stall]))
    let response = try await Loader(stub, settings: settings(.seconds(5))).load(Fixture.request())
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    await Fixture.wait(while: stub.inFlightCount > 0)
    #expect(await Fixture.kind { _ = try await response.body.collect(upTo: 9) } == .timedOut)
  }

  @Test func `what ends in time leaves no timer`() async throws {
    let loader = Loader(StubTransport(.text("hello")), settings: settings(.seconds(5)))
    #expect(try await loader.data(for: Fixture.request(), upTo: 9).0 == Data("hello".utf8))
    _ = try await loader.load(Fixture.request())
    await Fixture.wait(while: clock.sleeperCount > 0)
  }

  @Test func `cancelling under a deadline is a cancellation`() async throws {
    let loader = Loader(
      FailingTransport(StubTransport(.text("")), script: [.stallBeforeHead]), settings: settings(.seconds(5)))
    let loading = Task { try await loader.load(Fixture.request()) }
    try await clock.waitForSleepers()
    loading.cancel()
    await #expect(throws: CancellationError.self) { try await loading.value }
    #expect(clock.sleeperCount == 0)
  }
}
