import CurlewCore
import CurlewLoading
import CurlewTestSupport
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct ActivityCounterTests {
  private let clock = ManualClock()
  private let gate = ManualGate()

  /// A counter, and what it tells.
  private func counter() -> (ActivityCounter, AsyncStream<Bool>.AsyncIterator) {
    let (told, tells) = AsyncStream.makeStream(of: Bool.self)
    return (ActivityCounter(clock: clock, on: .serial()) { tells.yield($0) }, told.makeAsyncIterator())
  }

  private func load(_ observer: ActivityCounter, cancelling: Bool = false) -> Task<Void, any Error> {
    let gate = gate
    let stub = StubTransport { _ in
      try await gate.wait()
      return .text("x")
    }
    var settings = Fixture.settings(clock: clock)
    settings.observers = [observer]
    let loader = Loader(stub, settings: settings)
    return Task { _ = try await loader.load(Fixture.request()).body.collect(upTo: 9) }
  }

  @Test func `a request that takes a second is shown until shortly after its end`() async throws {
    var (counter, told) = counter()
    let loading = load(counter)
    try await clock.waitForSleepers()
    #expect(counter.count == 1 && !counter.isActive)
    clock.advance(by: .seconds(1))
    #expect(await told.next() == true)
    #expect(counter.isActive)
    gate.open()
    try await loading.value
    try await clock.waitForSleepers()
    #expect(counter.count == 0 && counter.isActive)
    clock.advance(by: .milliseconds(170))
    #expect(await told.next() == false)
    #expect(!counter.isActive)
  }

  @Test func `a request that is cancelled is not under way any more`() async throws {
    let (counter, _) = counter()
    let loading = load(counter)
    try await gate.waitForArrivals()
    #expect(counter.count == 1)
    loading.cancel()
    _ = await loading.result
    #expect(counter.count == 0)
    clock.advance(by: .seconds(1))
    #expect(!counter.isActive)
  }

  @Test func `switched off it shows nothing`() async throws {
    let (counter, _) = counter()
    counter.isEnabled = false
    let loading = load(counter)
    try await gate.waitForArrivals()
    #expect(counter.count == 1 && clock.sleeperCount == 0)
    gate.open()
    try await loading.value
    counter.isEnabled = true
    #expect(counter.count == 0 && !counter.isActive && clock.sleeperCount == 0)
  }
}
