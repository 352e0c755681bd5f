import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// When the progress of an upload is whole: once, before the response is handed over.
@Suite(.timeLimit(.minutes(10))) struct UploadEndTests {
  let clock = ManualClock()
  let log = Collected<String>()

  /// A transfer that writes its upload's snapshots, its response and its end into the log.
  private func transfer(_ transport: some Transport, _ body: Body, attempts: Int = 1) -> Transfer<TransferResult> {
    let log = log
    var configuration = Transfer<TransferResult>.Configuration(
      Fixture.request(.put, body: body), to: .memory(limit: 9), settings: Fixture.settings(clock: clock)
    ) { $0 }
    configuration.validate = { _, _ in log.append("response") }
    configuration.shouldRetry = { attempt, _ in attempt.number < attempts ? .retry(after: .zero) : .finish }
    let transfer = Transfer(Loader(transport), configuration)
    transfer.uploadProgress.observe(on: CallbackExecutor { $0() }) { progress in
      log.append(
        "\(progress.completed) of \(progress.total.map(String.init) ?? "any")\(progress.isFinal ? ", final" : "")")
    }
    transfer.onFinish(on: CallbackExecutor { $0() }) { _ in log.append("end") }
    return transfer
  }

  /// A body of chunks of 100 bytes; the clock moves before each.
  private func chunks(_ count: Int, length: Int64?, every step: Duration = .milliseconds(100)) -> Body {
    let clock = clock
    let chunks = AsyncStream<Data> { continuation in
      for _ in 0..<count { continuation.yield(Data(count: 100)) }
      continuation.finish()
    }
    let moving = chunks.map { chunk in
      clock.advance(by: step)
      return chunk
    }
    return .stream(length: length, replayable: false) { AsyncBodyChunks(moving) }
  }

  @Test func `the whole body is told once, as final, before the response, and nothing after it`() async throws {
    let transfer = transfer(StubTransport(.text("")), chunks(3, length: 300))
    _ = try await transfer.run()
    await transfer.settled()
    #expect(log.all == ["100 of 300", "200 of 300", "300 of 300, final", "response", "end"])
    #expect(transfer.uploadProgress.current.isFinal)
  }

  @Test func `a body of unknown length is whole when the response arrives`() async throws {
    let transfer = transfer(StubTransport(.text("")), chunks(3, length: nil))
    _ = try await transfer.run()
    await transfer.settled()
    #expect(log.all == ["100 of any", "200 of any", "300 of any", "300 of 300, final", "response", "end"])
  }

  @Test func `a missing body is whole when the response arrives`() async throws {
    let transfer = transfer(StubTransport(.text("")), .empty)
    _ = try await transfer.run()
    await transfer.settled()
    #expect(log.all == ["0 of 0, final", "response", "end"])
  }

  @Test func `a body that is sent again is not told again`() async throws {
    let clock = clock
    let stub = StubTransport { _ in
      clock.advance(by: .milliseconds(100))
      return .text("")
    }
    let transfer = transfer(stub, .bytes(Data(count: 500)), attempts: 3)
    _ = try await transfer.run()
    await transfer.settled()
    #expect(log.all == ["500 of 500, final", "response", "response", "response", "end"])
  }

  @Test func `a body whose end was not sent has no final snapshot, and its sequence ends`() async throws {
    let transfer = transfer(EarlyTransport(), .bytes(Data(count: 500)))
    _ = try await transfer.run()
    await transfer.settled()
    #expect(log.all == ["200 of 500", "response", "end"])
    #expect(transfer.uploadProgress.current.completed == 200 && !transfer.uploadProgress.current.isFinal)
    for await snapshot in transfer.uploadProgress { #expect(!snapshot.isFinal) }
  }

  @Test func `the whole body is told at once, and ends the timer of the bytes before it`() async throws {
    let transfer = transfer(StubTransport(.text("")), chunks(3, length: 300, every: .milliseconds(30)))
    _ = try await transfer.run()
    await transfer.settled()
    #expect(log.all == ["100 of 300", "300 of 300, final", "response", "end"])
    await Fixture.wait(while: clock.sleeperCount > 0)
  }

  @Test func `given boards are final at once if somebody asks first after the response`() async throws {
    let boards = TransferBoards(clock)
    var configuration = Transfer<Bool>.Configuration(
      Fixture.request(.put, body: .empty), to: .memory(limit: 9), settings: Fixture.settings(clock: clock)
    ) { _ in boards.uploadProgress.current.isFinal }
    configuration.boards = boards
    #expect(try await Transfer(Loader(StubTransport(.text(""))), configuration).run())
  }

  @Test(arguments: [true, false])
  func `given boards end if somebody asks first after the end`(_ succeeds: Bool) async throws {
    let boards = TransferBoards(clock)
    var configuration = Transfer<TransferResult>.Configuration(
      Fixture.request(.put, body: .empty), to: .memory(limit: 9), settings: Fixture.settings(clock: clock)
    ) { $0 }
    configuration.boards = boards
    let stub = StubTransport(succeeds ? .text("") : .failing(Fixture.lost(.protocolViolation)))
    let transfer = Transfer(Loader(stub), configuration)
    _ = try? await transfer.run()
    #expect(boards.uploadProgress.current.isFinal == succeeds)
    #expect(transfer.uploadProgress.current.isFinal == succeeds)
    for await snapshot in boards.uploadProgress { #expect(snapshot.isFinal) }
  }

  @Test func `boards of a transfer that was never made end`() async {
    let boards = TransferBoards(clock)
    boards.abandon()
    for await snapshot in boards.uploadProgress { #expect(!snapshot.isFinal) }
    for await snapshot in boards.downloadProgress { #expect(!snapshot.isFinal) }
  }
}

/// A transport whose server responds when it has read 200 bytes of the body.
private struct EarlyTransport: Transport {
  let stub = StubTransport(.text(""))
  var capabilities: TransportCapabilities { stub.capabilities }

  func send(_ request: Request, in exchange: Exchange) async throws -> Response {
    exchange.emit(.sent(bytes: 200, expected: request.body.length))
    var rest = request
    rest.body = .empty
    return try await stub.send(rest, in: exchange)
  }

  func shutdown() async { await stub.shutdown() }
}
