import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct TransferSinkTests {
  private func transfer(_ answer: StubAnswer, to sink: any TransferSink) -> Transfer<TransferResult> {
    Transfer(Loader(StubTransport(answer)), Fixture.request(), to: sink)
  }

  @Test func `memory takes the limit and not a byte more`() async throws {
    let exact = try await transfer(.text("hello"), to: .memory(limit: 5)).run()
    #expect(exact.content == .data(Data("hello".utf8)))
    #expect(await Fixture.kind { _ = try await transfer(.text("hello"), to: .memory(limit: 4)).run() } == .bodyTooLarge)
    var unannounced = StubAnswer.bytes(Data(count: 100), chunkSize: 10)
    unannounced.announcesLength = false
    #expect(await Fixture.kind { _ = try await transfer(unannounced, to: .memory(limit: 99)).run() } == .bodyTooLarge)
    let whole = try await transfer(unannounced, to: .memory(limit: 100)).run()
    #expect(whole.content.data?.count == 100)
  }

  private func writer(limit: Int, announcing length: Int?) async throws -> any TransferWriter {
    let head = ResponseHead(
      url: Fixture.url, status: .ok, version: nil, headerFields: [:], expectedLength: length.map(Int64.init))
    return try await MemorySink(limit: limit).open(head, AttemptContext())
  }

  @Test func `memory keeps a body that comes in one piece, without a copy`() async throws {
    let body = Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0) })
    let writer = try await writer(limit: 1_000, announcing: 1_000)
    #expect(try writer.receive(chunk: body) == .more)
    let kept = try #require(try await writer.finish().data)
    #expect(kept == body)
    #expect(kept.withUnsafeBytes { $0.baseAddress } == body.withUnsafeBytes { $0.baseAddress })
  }

  @Test(arguments: [nil, 9, 1_000]) func `memory joins pieces of every kind, up to the limit`(length: Int?) async throws
  {
    let writer = try await writer(limit: 1_000, announcing: length)
    for piece in ["abc", "def", "ghi"] {
      _ = try writer.receive(chunk: Data(piece.utf8))
      _ = try Data(piece.utf8).withUnsafeBytes { try writer.receive($0) }
    }
    #expect(throws: NetworkError.self) { try writer.receive(chunk: Data(count: 983)) }
    _ = try writer.receive(chunk: Data(count: 982))
    #expect(try await writer.finish().data == Data("abcabcdefdefghighi".utf8) + Data(count: 982))
    let small = try await self.writer(limit: 2, announcing: nil)
    #expect(throws: NetworkError.self) { try small.receive(chunk: Data(count: 3)) }
  }

  @Test func `validation comes before the sink, whichever it is`() async throws {
    let opened = Collected<Int>()
    var configuration = Transfer<TransferResult>.Configuration(
      Fixture.request(),
      to: .custom { _, _ in
        opened.append(1)
        return KeepingSink()
      }
    ) { $0 }
    configuration.validate = { head, _ in
      throw NetworkError(.unacceptableContentType, stage: .validating, message: "Not what was asked.")
    }
    let transfer = Transfer(Loader(StubTransport(.text("hello"))), configuration)
    let error = await #expect(throws: NetworkError.self) { try await transfer.run() }
    #expect(error?.details.responseBody == Data("hello".utf8))
    #expect(opened.all.isEmpty)
  }

  @Test func `a sink of the app's own gets every byte, and may wait`() async throws {
    let sink = KeepingSink(waitsAtEach: true)
    let body = Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0) })
    let result = try await transfer(.bytes(body, chunkSize: 7), to: .custom { _, _ in sink }).run()
    #expect(result.content == .taken)
    #expect(sink.bytes == body)
  }

  struct Full: Error, Equatable {}

  @Test(arguments: FailingSink.Instant.allCases)
  func `a transfer fails with exactly what its sink threw, at whatever instant`(instant: FailingSink.Instant) async {
    let transfer = transfer(.bytes(Data(count: 100), chunkSize: 10), to: FailingSink(at: instant, with: Full()))
    await #expect(throws: Full()) { try await transfer.run() }
    #expect(transfer.error is Full)
    #expect(transfer.attempts.map(\.isSinkFailure) == [true])
    await transfer.settled()
  }

  @Test(arguments: [false, true])
  func `what a sink throws is tried again only where a policy names it`(isNamed: Bool) async throws {
    var policy = RetryPolicy(limit: 2, delay: .fixed(.zero))
    if isNamed { policy.conditions.kinds?.insert(.sinkFailed) }
    var configuration = Transfer<TransferResult>.Configuration(
      Fixture.request(), to: FailingSink(at: .receive, with: Full())
    ) { $0 }
    configuration.retry = policy
    let transfer = Transfer(Loader(StubTransport(.text("hello"))), configuration)
    await #expect(throws: Full()) { try await transfer.run() }
    #expect(transfer.attemptCount == (isNamed ? 3 : 1))
  }

  @Test func `a writer that wants no body ends the transfer at once, however long the body is`() async throws {
    let never = ManualGate()
    let stub = StubTransport(
      StubAnswer(
        .rangeNotSatisfiable, headerFields: [.contentRange: "bytes */700"],
        body: [.bytes(Data(count: 1_000)), .wait { try await never.wait() }]))
    let sink = HeadSink()
    let transfer = Transfer(Loader(stub), Fixture.request(), to: sink)
    let result = try await transfer.run()
    #expect(result.head.status.code == 416)
    #expect(result.content == .taken)
    #expect(sink.calls.all == ["finish"])
    #expect(transfer.attempts.map(\.bytesReceived) == [0])
    #expect(transfer.downloadProgress.current.completed == 700 && transfer.downloadProgress.current.isFinal)
    await transfer.settled()
    #expect(stub.inFlightCount == 0)
  }
}

/// A sink that throws at one instant.
struct FailingSink: TransferSink {
  enum Instant: CaseIterable, Sendable { case open, receive, ready, finish }

  let instant: Instant
  let error: any Error

  init(at instant: Instant, with error: any Error) {
    self.instant = instant
    self.error = error
  }

  func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter {
    if instant == .open { throw error }
    return Writer(sink: self)
  }

  private final class Writer: TransferWriter {
    let sink: FailingSink

    init(sink: FailingSink) { self.sink = sink }

    func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
      if sink.instant == .receive { throw sink.error }
      return .pause
    }
    func ready() async throws { if sink.instant == .ready { throw sink.error } }
    func finish() async throws -> TransferContent {
      if sink.instant == .finish { throw sink.error }
      return .taken
    }
  }
}

/// A sink for which the head says it all.
private struct HeadSink: TransferSink {
  let calls = Collected<String>()

  func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter { Writer(calls) }

  private final class Writer: TransferWriter {
    let calls: Collected<String>

    init(_ calls: Collected<String>) { self.calls = calls }

    var wantsBody: Bool { false }
    var offset: Int64 { 700 }

    func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
      calls.append("receive")
      return .more
    }
    func finish() async throws -> TransferContent {
      calls.append("finish")
      return .taken
    }
    func abandon() async { calls.append("abandon") }
  }
}
