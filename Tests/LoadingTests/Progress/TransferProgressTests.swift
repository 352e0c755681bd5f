import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewLoading

@Suite(.timeLimit(.minutes(10))) struct TransferProgressTests {
  let clock = ManualClock()

  /// A body of ten chunks of 100 bytes; the clock moves by a step before each.
  private func body(step: Duration) -> StubAnswer {
    let clock = clock
    var steps: [StubAnswer.Step] = []
    for _ in 0..<10 {
      steps.append(.wait { clock.advance(by: step) })
      steps.append(.bytes(Data(count: 100)))
    }
    return StubAnswer(body: steps)
  }

  private func transfer(_ answer: StubAnswer, _ request: Request = Fixture.request()) -> Transfer<TransferResult> {
    Transfer(
      Loader(StubTransport(answer)), request, to: .memory(limit: 10_000), settings: Fixture.settings(clock: clock))
  }

  private func listen(_ sequence: TransferProgressSequence) -> Collected<TransferProgress> {
    let seen = Collected<TransferProgress>()
    sequence.observe(on: CallbackExecutor { $0() }) { seen.append($0) }
    return seen
  }

  @Test func `snapshots are monotonic, add up and end with exactly one final`() async throws {
    let transfer = transfer(body(step: .milliseconds(100)))
    let seen = listen(transfer.downloadProgress)
    _ = try await transfer.run()
    await transfer.settled()
    #expect(seen.all.map(\.completed) == [0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000, 1_000])
    #expect(seen.all.map(\.recent).reduce(0, +) == 1_000)
    #expect(seen.all.map(\.total) == Array(repeating: 1_000, count: 12))
    #expect(seen.all.map(\.isFinal) == Array(repeating: false, count: 11) + [true])
    #expect(seen.all.last?.fraction == 1)
  }

  @Test func `what was there before is in no snapshot's recent bytes`() async throws {
    let clock = ManualClock()
    let board = ProgressBoard(clock)
    let seen = Collected<TransferProgress>()
    board.listen(on: CallbackExecutor { $0() }) { seen.append($0) }
    board.begin(at: 60, total: 100)
    board.add(40)
    board.end(success: true, now: clock.now)
    #expect(seen.all.first?.completed == 60 && seen.all.map(\.recent).reduce(0, +) == 40)
    let late = try #require(await board.next(after: ProgressCursor()))
    #expect(late.0.completed == 100 && late.0.recent == 40)
  }

  @Test func `fast bytes are told ten times a second`() async throws {
    let transfer = transfer(body(step: .milliseconds(30)))
    let seen = listen(transfer.downloadProgress)
    _ = try await transfer.run()
    #expect(seen.all.count <= 5)
    #expect(seen.all.last?.completed == 1_000)
  }

  @Test(arguments: [true, false])
  func `bytes that arrive shortly before a stall are told when the interval is over`(early: Bool) async throws {
    let (arrived, stall) = (ManualGate(), ManualGate())
    let clock = clock
    let transfer = transfer(
      StubAnswer(body: [
        .bytes(Data(count: 100)), .wait { clock.advance(by: .milliseconds(200)) }, .bytes(Data(count: 100)),
        .wait { clock.advance(by: .milliseconds(30)) }, .bytes(Data(count: 100)),
        .wait {
          arrived.open()
          try await stall.wait()
        },
        .bytes(Data(count: 100)),
      ]))
    // The bytes are due whether somebody watches from the beginning or asks later.
    let first = early ? listen(transfer.downloadProgress) : nil
    transfer.start()
    try await arrived.wait()
    let seen = first ?? listen(transfer.downloadProgress)
    #expect(seen.all.last?.completed != 300)
    try await clock.waitForSleepers()
    #expect(clock.untilNextSleeper == .milliseconds(70))
    clock.advance(by: .milliseconds(70))
    await Fixture.wait(while: seen.all.last?.completed != 300)
    stall.open()
    _ = try await transfer.value
    #expect(seen.all.last?.isFinal == true && clock.sleeperCount == 0)
  }

  @Test func `a body of no bytes has one final snapshot`() async throws {
    let transfer = transfer(StubAnswer(.noContent))
    let seen = listen(transfer.downloadProgress)
    _ = try await transfer.run()
    #expect(seen.all.count { $0.isFinal } == 1)
    #expect(seen.all.last?.total == 0)
    #expect(seen.all.last?.fraction == 1)
  }

  @Test func `a failure or a cancellation has no final snapshot, and the sequence ends`() async throws {
    let failing = transfer(StubAnswer(body: [.bytes(Data(count: 5)), .failure(Fixture.lost())]))
    let seen = listen(failing.downloadProgress)
    failing.start()
    var snapshots: [TransferProgress] = []
    for await snapshot in failing.downloadProgress { snapshots.append(snapshot) }
    #expect(!snapshots.contains { $0.isFinal })
    #expect(!seen.all.contains { $0.isFinal })

    let cancelled = transfer(.text(""))
    cancelled.cancel()
    for await _ in cancelled.downloadProgress { Issue.record("a snapshot of nothing") }
  }

  @Test func `a sequence that is read late still ends with the final snapshot`() async throws {
    let transfer = transfer(body(step: .milliseconds(100)))
    _ = try await transfer.run()
    var snapshots: [TransferProgress] = []
    for await snapshot in transfer.downloadProgress { snapshots.append(snapshot) }
    #expect(snapshots.map(\.completed) == [1_000])
    #expect(snapshots.map(\.recent) == [1_000])
    #expect(snapshots.map(\.isFinal) == [true])
    #expect(listen(transfer.downloadProgress).all.map(\.isFinal) == [true])
  }

  @Test func `two readers each count for themselves`() async throws {
    let transfer = transfer(body(step: .milliseconds(100)))
    let sequence = transfer.downloadProgress
    async let first = sequence.reduce(into: Int64(0)) { $0 += $1.recent }
    async let second = sequence.reduce(into: Int64(0)) { $0 += $1.recent }
    _ = try await transfer.run()
    #expect(await first == 1_000)
    #expect(await second == 1_000)
  }

  @Test func `reading ends when its task is cancelled`() async throws {
    let transfer = transfer(.text(""))
    let reading = Task { for await _ in transfer.downloadProgress {} }
    reading.cancel()
    await reading.value
    transfer.cancel()
  }

  @Test func `a slow callback is called once at a time with the newest`() async throws {
    let work = Collected<@Sendable () -> Void>()
    let seen = Collected<TransferProgress>()
    let transfer = transfer(body(step: .milliseconds(100)))
    transfer.downloadProgress.observe(on: CallbackExecutor { work.append($0) }) { seen.append($0) }
    _ = try await transfer.run()
    #expect(work.all.count == 1)
    for piece in work.all { piece() }
    #expect(seen.all.map(\.isFinal) == [true])
    #expect(seen.all.map(\.recent) == [1_000])
  }

  @Test func `an upload tells the bytes that were sent, and one final`() async throws {
    let chunks = AsyncStream<Data> { continuation in
      for _ in 0..<10 { continuation.yield(Data(count: 100)) }
      continuation.finish()
    }
    let clock = clock
    let moving = chunks.map { chunk in
      clock.advance(by: .milliseconds(100))
      return chunk
    }
    let body = Body.stream(length: 1_000, replayable: false) { AsyncBodyChunks(moving) }
    let transfer = transfer(.text(""), Fixture.request(.post, body: body))
    let seen = listen(transfer.uploadProgress)
    _ = try await transfer.run()
    #expect(seen.all.map(\.completed) == [100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000])
    #expect(seen.all.map(\.total).allSatisfy { $0 == 1_000 })
    #expect(seen.all.map(\.isFinal) == Array(repeating: false, count: 9) + [true])
  }

  @Test func `progress that is first asked for after the end is final at once`() async throws {
    let transfer = transfer(.text("hello"))
    _ = try await transfer.run()
    #expect(transfer.uploadProgress.current.isFinal)
    #expect(transfer.uploadProgress.current.completed == 0)
    let seen = listen(transfer.uploadProgress)
    #expect(seen.all.map(\.isFinal) == [true])
    var snapshots = transfer.uploadProgress.makeAsyncIterator()
    #expect(await snapshots.next()?.isFinal == true)
    #expect(await snapshots.next() == nil)
  }

  @Test func `an upload that is sent again does not go back`() async throws {
    let clock = clock
    let stub = StubTransport { asked in
      clock.advance(by: .milliseconds(100))
      return asked.index == 0 ? .failing(Fixture.lost(.protocolViolation)) : .text("")
    }
    var configuration = Transfer<TransferResult>.Configuration(
      Fixture.request(.put, body: .bytes(Data(count: 500))), to: .memory(limit: 9),
      settings: Fixture.settings(clock: clock)
    ) { $0 }
    configuration.shouldRetry = { attempt, _ in attempt.error == nil ? .finish : .retry(after: .zero) }
    let transfer = Transfer(Loader(stub), configuration)
    let seen = listen(transfer.uploadProgress)
    _ = try await transfer.run()
    #expect(seen.all.map(\.completed) == [500])
    #expect(seen.all.map(\.recent) == [500] && seen.all.map(\.isFinal) == [true])
  }
}
