import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct TransferPauseTests {
  let gate = ManualGate()
  let clock = ManualClock()

  private func configuration(
    _ method: HTTPRequest.Method = .get, to sink: any TransferSink = .memory(limit: 1_000)
  ) -> Transfer<TransferResult>.Configuration {
    Transfer<TransferResult>.Configuration(
      Fixture.request(method), to: sink, settings: Fixture.settings(clock: clock)
    ) { $0 }
  }

  /// A hundred chunks, each counted when it is made; the gate stands before the second half.
  private func counting(_ made: Collected<Int>) -> StubAnswer {
    var steps: [StubAnswer.Step] = []
    for number in 0..<100 {
      if number == 50 { steps.append(.wait { [gate] in try await gate.wait() }) }
      steps.append(.wait { made.append(number) })
      steps.append(.bytes(Data([UInt8(number)])))
    }
    return StubAnswer(body: steps)
  }

  @Test func `pausing before the start holds the start`() async throws {
    let stub = StubTransport(.text("hello"))
    let transfer = Transfer(Loader(stub), configuration())
    #expect(transfer.pause())
    #expect(!transfer.start())
    #expect(transfer.state == .paused)
    #expect(stub.requestCount == 0)
    #expect(transfer.resume())
    #expect(try await transfer.value.content.data == Data("hello".utf8))
    #expect(stub.requestCount == 1)
  }

  @Test func `a paused transfer pulls nothing, and goes on where it stopped`() async throws {
    let made = Collected<Int>()
    let stub = StubTransport(counting(made))
    let transfer = Transfer(Loader(stub), configuration())
    let twin = Transfer(Loader(StubTransport(counting(Collected()))), configuration())
    transfer.start()
    twin.start()
    try await gate.waitForArrivals(2)
    #expect(transfer.pause())
    #expect(!transfer.pause())
    gate.open()
    // One chunk was being pulled; it is the last. The other transfer, which is not paused, reads all of its chunks meanwhile.
    await Fixture.wait(while: made.all.count < 51)
    #expect(try await twin.value.content.data?.count == 100)
    #expect(made.all.count == 51)
    #expect(transfer.state == .paused)
    #expect(transfer.resume())
    #expect(try await transfer.value.content.data == Data((0..<100).map { UInt8($0) }))
    #expect(stub.requestCount == 1)
    #expect(transfer.attempts.count == 1)
  }

  @Test func `observers learn of each pause and of its end, between the events of the sending`() async throws {
    let observer = RecordingObserver()
    let stub = StubTransport(counting(Collected()))
    let transfer = Transfer(
      Loader(stub),
      Transfer<TransferResult>.Configuration(
        Fixture.request(.get), to: .memory(limit: 1_000), settings: Fixture.settings(clock: clock, observer: observer)
      ) { $0 })
    transfer.start()
    try await gate.waitForArrivals()
    #expect(transfer.pause())
    #expect(!transfer.pause())
    #expect(transfer.resume())
    gate.open()
    _ = try await transfer.value
    try await observer.waitForFinished()
    let names = observer.names.filter { ["sending", "paused", "resumed", "measured", "finished"].contains($0) }
    #expect(names == ["sending", "paused", "resumed", "measured", "finished"])
    #expect(observer.events.allSatisfy { $0.attempt == 1 })
    // A transfer that is paused before it starts is no request yet.
    let later = Transfer(Loader(stub), configuration())
    #expect(later.pause())
    #expect(later.cancel())
  }

  @Test func `an attempt that ends while it is paused waits for resume`() async throws {
    let transfer = Transfer(
      Loader(
        StubTransport { [gate] _ in
          try await gate.wait()
          throw Fixture.lost(.protocolViolation)
        }), configuration())
    transfer.start()
    try await gate.waitForArrivals()
    transfer.pause()
    gate.open()
    await Fixture.wait(while: transfer.attempts.first?.ended == nil)
    #expect(transfer.state == .paused)
    #expect(transfer.outcome == nil)
    transfer.resume()
    #expect(await Fixture.kind { _ = try await transfer.value } == .protocolViolation)
  }

  @Test func `a connection lost in a pause is made anew with resume`() async throws {
    let lost = StubAnswer(
      body: [.bytes(Data([1])), .wait { [gate] in try await gate.wait() }, .failure(Fixture.lost())])
    let stub = StubTransport(script: [lost, .text("hello")])
    let transfer = Transfer(Loader(stub), configuration())
    transfer.start()
    try await gate.waitForArrivals()
    transfer.pause()
    gate.open()
    await Fixture.wait(while: transfer.attempts.first?.ended == nil)
    #expect(transfer.state == .paused)
    transfer.resume()
    #expect(try await transfer.value.content.data == Data("hello".utf8))
    #expect(transfer.attempts.map(\.reason) == [.first, .resumption])
  }

  @Test func `a request that may not be repeated fails when its connection was lost in a pause`() async throws {
    let lost = StubAnswer(
      body: [.bytes(Data([1])), .wait { [gate] in try await gate.wait() }, .failure(Fixture.lost())])
    let stub = StubTransport(script: [lost, .text("hello")])
    let transfer = Transfer(Loader(stub), configuration(.post))
    transfer.start()
    try await gate.waitForArrivals()
    transfer.pause()
    gate.open()
    await Fixture.wait(while: transfer.attempts.first?.ended == nil)
    transfer.resume()
    #expect(await Fixture.kind { _ = try await transfer.value } == .connectionLost)
    #expect(stub.requestCount == 1)
  }

  @Test func `a long pause gives the connection up, and resume begins another attempt`() async throws {
    let made = Collected<Int>()
    let answer = counting(made)
    let stub = StubTransport { asked in asked.index == 0 ? answer : .text("hello") }
    var configuration = configuration()
    configuration.pausing = .release(after: .seconds(30))
    let transfer = Transfer(Loader(stub), configuration)
    transfer.start()
    try await gate.waitForArrivals()
    transfer.pause()
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(29))
    #expect(stub.inFlightCount == 1)
    clock.advance(by: .seconds(1))
    await Fixture.wait(while: stub.inFlightCount > 0)
    #expect(transfer.state == .paused)
    transfer.resume()
    #expect(try await transfer.value.content.data == Data("hello".utf8))
    #expect(transfer.attempts.map(\.reason) == [.first, .resumption])
    #expect(transfer.attempts.first?.error is CancellationError)
  }

  @Test func `a short pause keeps the connection and leaves no timer`() async throws {
    let stub = StubTransport(counting(Collected()))
    var configuration = configuration()
    configuration.pausing = .release(after: .seconds(30))
    let transfer = Transfer(Loader(stub), configuration)
    transfer.start()
    try await gate.waitForArrivals()
    transfer.pause()
    try await clock.waitForSleepers()
    transfer.resume()
    await Fixture.wait(while: clock.sleeperCount > 0)
    gate.open()
    #expect(try await transfer.value.content.data?.count == 100)
    #expect(stub.requestCount == 1)
  }

  @Test func `an attempt that ends in a pause leaves no timer`() async throws {
    let stub = StubTransport { [gate] _ in
      try await gate.wait()
      throw Fixture.lost(.protocolViolation)
    }
    var configuration = configuration()
    configuration.pausing = .release(after: .seconds(30))
    let transfer = Transfer(Loader(stub), configuration)
    transfer.start()
    try await gate.waitForArrivals()
    transfer.pause()
    try await clock.waitForSleepers()
    gate.open()
    await Fixture.wait(while: transfer.attempts.first?.ended == nil)
    await Fixture.wait(while: clock.sleeperCount > 0)
    transfer.resume()
    #expect(await Fixture.kind { _ = try await transfer.value } == .protocolViolation)
  }

  @Test func `a request that may not be repeated is held however long the pause`() async throws {
    let stub = StubTransport(counting(Collected()))
    var configuration = configuration(.post)
    configuration.pausing = .release(after: .seconds(30))
    let transfer = Transfer(Loader(stub), configuration)
    // A request that may be repeated is let go at the same time.
    let otherStub = StubTransport(counting(Collected()))
    var repeatable = self.configuration()
    repeatable.pausing = configuration.pausing
    let twin = Transfer(Loader(otherStub), repeatable)
    for transfer in [transfer, twin] { transfer.start() }
    try await gate.waitForArrivals(2)
    for transfer in [transfer, twin] { transfer.pause() }
    try await clock.waitForSleepers(2)
    clock.advance(by: .seconds(3_000))
    await Fixture.wait(while: otherStub.inFlightCount > 0)
    twin.cancel()
    await twin.settled()
    #expect(stub.inFlightCount == 1)
    gate.open()
    transfer.resume()
    #expect(try await transfer.value.content.data?.count == 100)
  }

  @Test func `a transport that cannot hold lets go at once`() async throws {
    let made = Collected<Int>()
    let answer = counting(made)
    let stub = StubTransport(capabilities: []) { asked in asked.index == 0 ? answer : .text("hello") }
    let transfer = Transfer(Loader(stub), configuration())
    transfer.start()
    try await gate.waitForArrivals()
    transfer.pause()
    await Fixture.wait(while: stub.inFlightCount > 0)
    transfer.resume()
    #expect(try await transfer.value.content.data == Data("hello".utf8))
  }

  @Test func `a sink that can go on gets the rest at its offset`() async throws {
    // A sink with a memory of its own, as a resumable download has one.
    let kept = KeepingSink()
    struct Appending: TransferSink {
      let kept: KeepingSink
      func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter {
        Writer(kept, offset: head.status == .partialContent ? Int64(kept.bytes.count) : 0)
      }
      final class Writer: TransferWriter {
        let kept: KeepingSink
        let offset: Int64
        init(_ kept: KeepingSink, offset: Int64) {
          self.kept = kept
          self.offset = offset
        }
        func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand { try kept.receive(bytes) }
        func finish() async throws -> TransferContent { .taken }
      }
    }
    let cut = StubAnswer(
      headerFields: [.contentLength: "10"],
      body: [.bytes(Data("01234".utf8)), .wait { [gate] in try await gate.wait() }, .failure(Fixture.lost())])
    let rest = StubAnswer(.partialContent, body: [.bytes(Data("56789".utf8))])
    let stub = StubTransport { asked in asked.request.headerFields[.range] == "bytes=5-" ? rest : cut }
    var configuration = configuration(to: Appending(kept: kept))
    configuration.request = { attempt in
      var request = Fixture.request()
      if attempt.reason == .resumption { request.headerFields[.range] = "bytes=\(kept.bytes.count)-" }
      return request
    }
    let transfer = Transfer(Loader(stub), configuration)
    transfer.start()
    try await gate.waitForArrivals()
    await Fixture.wait(while: kept.bytes.count < 5)
    transfer.pause()
    gate.open()
    await Fixture.wait(while: transfer.attempts.first?.ended == nil)
    transfer.resume()
    _ = try await transfer.value
    #expect(kept.bytes == Data("0123456789".utf8))
    #expect(transfer.downloadProgress.current.completed == 10)
    #expect(transfer.downloadProgress.current.total == 10)
  }
}
