import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewLoading

/// Durations and deadlines that no calendar has: an app may write `.seconds(.max)` where it wants no limit.
@Suite(.timeLimit(.minutes(10))) struct LongTimeTests {
  static let durations = [Duration.seconds(Int64.max), .seconds(Int64.max) * 18]

  @Test(arguments: durations) func `a deadline far away is none`(_ time: Duration) async throws {
    let stub = StubTransport(.text("here"))
    var settings = Fixture.settings()
    settings.deadline = .now + time
    let response = try await Loader(stub, settings: settings).load(Fixture.request())
    #expect(try await response.body.collect(upTo: 9) == Data("here".utf8))
    let configuration = Transfer<TransferResult>.Configuration(
      Fixture.request(), to: MemorySink(limit: 9), settings: settings
    ) { $0 }
    let transfer = Transfer(Loader(stub), configuration)
    transfer.start()
    #expect(try await transfer.value.head.status == .ok)
  }

  @Test(arguments: durations) func `timeouts as long as anything limit nothing`(_ time: Duration) async throws {
    var request = Fixture.request()
    request.options.timeouts = Timeouts(idle: time, total: time)
    let stub = StubTransport { asked in
      asked.index == 0
        ? StubAnswer(.found, headerFields: [.location: "/next"]) : .text("there")
    }
    let response = try await Loader(stub, interceptors: [Redirect()]).load(request)
    #expect(try await response.body.collect(upTo: 9) == Data("there".utf8))
  }

  @Test(arguments: durations) func `waits as long as anything are waits`(_ time: Duration) async throws {
    let clock = ManualClock()
    let counter = ActivityCounter(startDelay: time, endDelay: time, clock: clock, on: .serial()) { _ in }
    var configuration = Caching.Configuration()
    configuration.patience = time
    configuration.longestHeuristic = time
    let scene = CacheScene(MemoryCacheStore(), configuration) { _ in .text("cached") }
    #expect(try await scene.get().text == "cached")
    var settings = Fixture.settings(clock: clock)
    settings.observers = [counter]
    let loader = Loader(StubTransport(.text("")), settings: settings)
    _ = try await loader.load(Fixture.request()).body.collect(upTo: 9)
    #expect(counter.count == 0 && !counter.isActive)
  }
}
