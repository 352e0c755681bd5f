import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct LoaderEventTests {
  let observer = RecordingObserver()

  private func loader(_ answer: StubAnswer) -> Loader {
    Loader(StubTransport(answer), settings: Fixture.settings(observer: observer))
  }

  private var outcome: String? {
    guard observer.outcomes.count == 1, observer.names.last == "finished" else { return nil }
    switch observer.outcomes[0] {
    case .success: return "success"
    case .failure: return "failure"
    case .cancelled: return "cancelled"
    }
  }

  @Test func `a body that is read ends in success, after everything else`() async throws {
    let response = try await loader(.text("hello")).load(Fixture.request())
    #expect(observer.names == ["started", "sending", "connected", "responded"])
    _ = try await response.body.collect(upTo: 9)
    #expect(observer.names.suffix(2) == ["measured", "finished"])
    #expect(outcome == "success")
    guard case .finished(_, let metrics)? = observer.kinds.last else { return }
    #expect(metrics.map(\.bytesReceived) == [5])
  }

  @Test func `a drained body ends in success`() async throws {
    let response = try await loader(.text("hello")).load(Fixture.request())
    try await response.body.drain(into: KeepingSink())
    #expect(outcome == "success")
  }

  @Test func `a body that fails ends in failure`() async throws {
    let response = try await loader(StubAnswer(body: [.bytes(Data([1])), .failure(Fixture.lost())]))
      .load(Fixture.request())
    await #expect(throws: NetworkError.self) { try await response.body.collect(upTo: 9) }
    #expect(outcome == "failure")
  }

  @Test func `a sink that fails ends in failure`() async throws {
    let response = try await loader(.text("hello")).load(Fixture.request())
    await #expect(throws: NetworkError.self) {
      try await response.body.drain(into: KeepingSink(failing: Fixture.lost()))
    }
    #expect(outcome == "failure")
  }

  @Test func `a body that is dropped unread is cancelled, and one of no bytes went well`() async throws {
    _ = try await loader(.text("hello")).load(Fixture.request())
    #expect(outcome == "cancelled")
    observer.removeAll()
    _ = try await loader(StubAnswer(.noContent)).load(Fixture.request())
    #expect(outcome == "success")
  }

  @Test func `a body that is cancelled twice and dropped finishes once`() async throws {
    let response = try await loader(.text("hello")).load(Fixture.request())
    response.body.cancel()
    response.body.cancel()
    await #expect(throws: CancellationError.self) { try await response.body.collect(upTo: 9) }
    #expect(outcome == "cancelled")
  }

  @Test func `a failure before the head finishes too`() async {
    _ = try? await loader(.failing(Fixture.lost(.connectionFailed))).load(Fixture.request())
    #expect(outcome == "failure")
    observer.removeAll()
    _ = try? await loader(.failing(CancellationError())).load(Fixture.request())
    #expect(outcome == "cancelled")
  }

  @Test func `an attempt tells neither start nor end`() async throws {
    let exchange = Exchange(Fixture.settings(observer: observer))
    let response = try await loader(.text("hello")).attempt(Fixture.request(), in: exchange)
    _ = try await response.body.collect(upTo: 9)
    #expect(!observer.names.contains("started"))
    #expect(!observer.names.contains("finished"))
  }

  @Test func `nothing is told after the end`() async {
    let exchange = Exchange(Fixture.settings(observer: observer))
    exchange.emit(.started(Fixture.request()))
    exchange.emit(.finished(.success, metrics: []))
    exchange.derived(attempt: 2).emit(.connected(reused: true))
    exchange.emit(.finished(.cancelled, metrics: []))
    #expect(observer.names == ["started", "finished"])
    #expect(outcome == "success")
  }
}
