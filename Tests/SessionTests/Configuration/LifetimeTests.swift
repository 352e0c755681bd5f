import CurlewCore
import CurlewLoading
import CurlewSerialization
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewSession

/// Whoever makes a transport ends it.
@Suite(.timeLimit(.minutes(10))) struct LifetimeTests {
  /// Counts what becomes of the transports of a session.
  private final class Ledger: Sendable {
    let made = Guarded(0)
    let ended = ManualGate()
    let endings = Guarded(0)

    func configuration(_ answer: StubAnswer = .text("ok")) -> SessionConfiguration {
      SessionConfiguration(
        .made { [self] in
          made.withLock { $0 += 1 }
          return Ending(StubTransport(answer), self)
        })
    }
  }

  private final class Ending: Transport {
    let stub: StubTransport
    let ledger: Ledger
    init(_ stub: StubTransport, _ ledger: Ledger) {
      self.stub = stub
      self.ledger = ledger
    }
    var capabilities: TransportCapabilities { stub.capabilities }
    func send(_ request: Request, in exchange: Exchange) async throws -> Response {
      try await stub.send(request, in: exchange)
    }
    func shutdown() async {
      await stub.shutdown()
      ledger.endings.withLock { $0 += 1 }
      ledger.ended.open()
    }
  }

  @Test func `a session that is never used makes no transport`() {
    let ledger = Ledger()
    _ = HTTPSession(ledger.configuration()).with { $0.retry = RetryPolicy() }
    #expect(ledger.made.withLock { $0 } == 0)
  }

  @Test func `a transport that the session made ends with the last copy`() async throws {
    let ledger = Ledger()
    var session: HTTPSession? = HTTPSession(ledger.configuration())
    var copy: HTTPSession? = session?.with { $0.retry = RetryPolicy() }
    try await session?.get("http://h.test/", .data)
    try await copy?.get("http://h.test/", .data)
    #expect(ledger.made.withLock { $0 } == 1, "copies share the transport")
    session = nil
    #expect(!ledger.ended.isOpen)
    try await copy?.get("http://h.test/", .data)
    copy = nil
    try await ledger.ended.wait()
    #expect(ledger.endings.withLock { $0 } == 1)
  }

  @Test func `a transport of the app's own is not ended`() async throws {
    let stub = StubTransport(.text("ok"))
    do {
      let session = HTTPSession(stub)
      try await session.get("http://h.test/", .data)
    }
    _ = try await Loader(stub).load(Request(.get, "http://h.test/"))
    #expect(stub.requestCount == 2)
  }

  @Test func `a body, a sequence and a task keep the transport of a session that is gone`() async throws {
    let gate = ManualGate()
    let half = Data("half".utf8)
    let ledger = Ledger()
    let answer = StubAnswer(body: [.bytes(half), .wait { try await gate.wait() }, .bytes(half)])
    let body: ResponseBody
    let lines: LineSequence<ResponseChunks>
    let upload: UploadTask<Data>
    do {
      let session = HTTPSession(ledger.configuration(answer))
      body = try await session.stream(.get, "http://h.test/").body
      lines = session.lines("http://h.test/")
      upload = session.upload(.bytes(half), to: "http://h.test/")
    }
    gate.open()
    #expect(try await body.collect(upTo: 100) == half + half)
    for try await line in lines { #expect(line == "halfhalf") }
    #expect(try await upload.value == half + half)
    #expect(ledger.made.withLock { $0 } == 1)
    #expect(!ledger.ended.isOpen)
  }

  @Test func `an error of making the transport is that of the request, and the next request tries again`() async throws
  {
    let isBroken = Guarded(true)
    let session = HTTPSession(
      SessionConfiguration(
        .made {
          if isBroken.withLock({ $0 }) {
            throw NetworkError(.resourceExhausted, stage: .preparing, message: "No descriptor is left.")
          }
          return StubTransport(.text("ok"))
        }))
    #expect(await networkError { try await session.get("http://h.test/", .data) }?.kind == .resourceExhausted)
    isBroken.withLock { $0 = false }
    #expect(try await session.get("http://h.test/", .string) == "ok")
  }

  @Test func `a changed copy leaves the original as it is`() async throws {
    let recording = RecordingTransport(StubTransport(.text("ok")))
    let session = HTTPSession(recording) { $0.headerFields[.userAgent] = "a" }
    let other = session.with { $0.headerFields[.userAgent] = "b" }
    try await other.get("http://h.test/", .data)
    try await session.get("http://h.test/", .data)
    #expect(recording.requests.map { $0.headerFields[.userAgent] } == ["b", "a"])
  }
}
