import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// A transfer that stands still in one of its hooks.
@Suite(.timeLimit(.minutes(10))) struct TransferHookTests {
  enum Place: String, CaseIterable, Sendable {
    case request, answer, validate, open, ready, body, finish, decode, decide
  }

  /// A sink that says what was called and stands still where it is told.
  private struct Sink: TransferSink {
    let stand: @Sendable (Place) async throws -> Void
    let calls: Collected<String>

    func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter {
      try await stand(.open)
      calls.append("open")
      return Writer(sink: self)
    }

    final class Writer: TransferWriter {
      let sink: Sink
      init(sink: Sink) { self.sink = sink }
      func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand { .pause }
      func ready() async throws { try await sink.stand(.ready) }
      func finish() async throws -> TransferContent {
        sink.calls.append("finish")
        try await sink.stand(.finish)
        return .taken
      }
      func abandon() async { sink.calls.append("abandon") }
    }
  }

  private let gate = ManualGate()
  private let calls = Collected<String>()

  private func transfer(
    standingAt place: Place, deafly: Bool = false
  ) -> (Transfer<TransferResult>, StubTransport) {
    let gate = gate
    let stand: @Sendable (Place) async throws -> Void = { here in
      guard here == place else { return }
      guard deafly else { return try await gate.wait() }
      // A hook that does not listen to cancellation.
      let deaf = Task { try await gate.wait() }
      try await deaf.value
    }
    let stub = StubTransport { _ in
      try await stand(.answer)
      return StubAnswer(
        body: [.bytes(Data("he".utf8)), .wait { try await stand(.body) }, .bytes(Data("llo".utf8))])
    }
    var configuration = Transfer<TransferResult>.Configuration(
      request: { _ in
        try await stand(.request)
        return Fixture.request()
      }, to: Sink(stand: stand, calls: calls),
      decode: { result in
        try await stand(.decode)
        return result
      })
    configuration.validate = { _, _ in try await stand(.validate) }
    configuration.shouldRetry = { _, _ in
      try? await stand(.decide)
      return .finish
    }
    return (Transfer(Loader(stub), configuration), stub)
  }

  /// Runs a transfer that stands in the same place and is not paused: what a paused one would do by mistake, it does before this.
  private func twinEnds(standingAt place: Place) async throws {
    let other = TransferHookTests()
    let (twin, _) = other.transfer(standingAt: place)
    twin.start()
    try await other.gate.waitForArrivals()
    other.gate.open()
    _ = try await twin.value
    await twin.settled()
  }

  @Test(arguments: Place.allCases)
  func `cancelling ends it at once in every hook and closes what is open`(place: Place) async throws {
    let (transfer, stub) = transfer(standingAt: place)
    transfer.start()
    try await gate.waitForArrivals()
    transfer.cancel()
    await #expect(throws: CancellationError.self) { try await transfer.value }
    await transfer.settled()
    #expect(stub.inFlightCount == 0)
    #expect(calls.all.count { $0 == "open" } == calls.all.count { $0 != "open" })
  }

  @Test(arguments: Place.allCases)
  func `a hook that does not listen does not hold the outcome up`(place: Place) async throws {
    let (transfer, _) = transfer(standingAt: place, deafly: true)
    transfer.start()
    try await gate.waitForArrivals()
    transfer.cancel()
    await #expect(throws: CancellationError.self) { try await transfer.value }
    gate.open()
    await transfer.settled()
    #expect(calls.all.count { $0 == "open" } == calls.all.count { $0 != "open" })
  }

  @Test(arguments: Place.allCases)
  func `pausing in every hook holds it, and resuming goes on in the same attempt`(place: Place) async throws {
    let (transfer, stub) = transfer(standingAt: place)
    transfer.start()
    try await gate.waitForArrivals()
    transfer.pause()
    gate.open()
    try await twinEnds(standingAt: place)
    #expect(transfer.state == .paused)
    #expect(transfer.outcome == nil)
    transfer.resume()
    #expect(try await transfer.value.content == .taken)
    #expect(transfer.attempts.count == 1)
    #expect(stub.requestCount == 1)
    #expect(calls.all == ["open", "finish"])
  }

  @Test func `a paused transfer sends nothing that was not on its way`() async throws {
    let (transfer, stub) = transfer(standingAt: .request)
    transfer.start()
    try await gate.waitForArrivals()
    transfer.pause()
    gate.open()
    try await twinEnds(standingAt: .request)
    #expect(stub.requestCount == 0)
    transfer.resume()
    _ = try await transfer.value
    #expect(stub.requestCount == 1)
  }

  @Test func `two attempts never run at once`() async throws {
    let clock = ManualClock()
    let gate = gate
    let stub = StubTransport(
      StubAnswer(body: [.bytes(Data([1])), .wait { try await gate.wait() }, .bytes(Data([2]))]))
    let resumed = Watched(0)
    struct Counting: TransferSink {
      let resumed: Watched<Int>
      let count: @Sendable (Int) -> Void
      func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter {
        count(1)
        return Writer(number: attempt.number, resumed: resumed, count: count)
      }
      final class Writer: TransferWriter {
        let number: Int
        let resumed: Watched<Int>
        let count: @Sendable (Int) -> Void
        init(number: Int, resumed: Watched<Int>, count: @escaping @Sendable (Int) -> Void) {
          (self.number, self.resumed, self.count) = (number, resumed, count)
        }
        func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand { .more }
        func finish() async throws -> TransferContent {
          count(-1)
          return .taken
        }
        func abandon() async {
          // Until the next attempt would have begun; the task of this one is cancelled.
          let (number, resumed) = (number, resumed)
          await Task { try? await resumed.wait { $0 >= number } }.value
          count(-1)
        }
      }
    }
    let tally = Tally()
    var configuration = Transfer<TransferResult>.Configuration(
      Fixture.request(), to: Counting(resumed: resumed) { tally.add($0) }, settings: Fixture.settings(clock: clock)
    ) { $0 }
    configuration.pausing = .release(after: .zero)
    let transfer = Transfer(Loader(stub), configuration)
    transfer.start()
    for round in 1...10 {
      try await gate.waitForArrivals(round)
      transfer.pause()
      await Fixture.wait(while: stub.inFlightCount > 0)
      transfer.resume()
      try await Fixture.witness()
      resumed.update { $0 = round }
    }
    gate.open()
    _ = try await transfer.value
    #expect(tally.most == 1)
    #expect(transfer.attempts.count == 11)
  }
}

/// How many at once, and at most.
private final class Tally: Sendable {
  private let state = Guarded((now: 0, most: 0))
  func add(_ change: Int) {
    state.withLock { state in
      state.now += change
      state.most = max(state.most, state.now)
    }
  }
  var most: Int { state.withLock { $0.most } }
}
