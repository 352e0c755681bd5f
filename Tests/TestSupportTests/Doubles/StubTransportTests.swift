import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct StubTransportTests {
  let request: Request

  init() throws { request = try Request(.get, "http://stub.test/") }

  private func kind(_ body: () async throws -> Void) async -> NetworkError.Kind? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? NetworkError)?.kind
    }
  }

  @Test func `a canned answer comes with its length, events and one record of metrics`() async throws {
    let stub = StubTransport(.text("hello"))
    var settings = ExchangeSettings()
    let observer = RecordingObserver()
    settings.observers = [observer]
    let exchange = Exchange(settings)
    let response = try await stub.send(request, in: exchange)
    #expect(response.head.status == .ok)
    #expect(response.head.expectedLength == 5)
    #expect(exchange.metrics.isEmpty)
    #expect(try await response.body.collect(upTo: 100) == Data("hello".utf8))
    #expect(exchange.metrics.map(\.bytesReceived) == [5])
    #expect(exchange.metrics.map(\.connectionReused) == [false])
    #expect(observer.names == ["connected", "responded", "received", "received", "measured"])
    #expect(stub.inFlightCount == 0)
  }

  @Test func `chunks are made only when they are pulled`() async throws {
    let made = Guarded(0)
    let step = StubAnswer.Step.wait { made.withLock { $0 += 1 } }
    let stub = StubTransport(StubAnswer(body: [step, .bytes(Data([1])), step, .bytes(Data([2]))]))
    let response = try await stub.send(request, in: Exchange())
    #expect(made.withLock { $0 } == 0)
    var iterator = response.body.makeAsyncIterator()
    _ = try await iterator.next()
    #expect(made.withLock { $0 } == 1)
    _ = try await iterator.next()
    #expect(made.withLock { $0 } == 2)
    #expect(try await iterator.next() == nil)
  }

  @Test func `a repeated chunk comes as often as it says`() async throws {
    let stub = StubTransport(StubAnswer(body: [.repeated(Data(count: 1000), count: 50), .bytes(Data([7]))]))
    let response = try await stub.send(request, in: Exchange())
    #expect(response.head.expectedLength == 50_001)
    #expect(try await response.body.collect(upTo: 100_000).count == 50_001)
  }

  @Test func `a body shorter than announced is truncated and a longer one is cut`() async throws {
    let short = StubAnswer(headerFields: [.contentLength: "9"], body: [.bytes(Data(count: 5))])
    let response = try await StubTransport(short).send(request, in: Exchange())
    #expect(await kind { _ = try await response.body.collect(upTo: 100) } == .truncatedBody)

    let long = StubAnswer(headerFields: [.contentLength: "3"], body: [.bytes(Data(count: 5))])
    let cut = try await StubTransport(long).send(request, in: Exchange())
    #expect(try await cut.body.collect(upTo: 100).count == 3)
  }

  @Test(arguments: [StubAnswer.text("x", status: .noContent), .text("x", status: .notModified)])
  func `an answer that has no body delivers none`(answer: StubAnswer) async throws {
    let response = try await StubTransport(answer).send(request, in: Exchange())
    #expect(try await response.body.collect(upTo: 100).isEmpty)
  }

  @Test func `HEAD keeps the length in the head and delivers nothing`() async throws {
    var request = request
    request.method = .head
    let response = try await StubTransport(.text("hello")).send(request, in: Exchange())
    #expect(response.head.headerFields[.contentLength] == "5")
    #expect(response.head.expectedLength == 0)
    #expect(try await response.body.collect(upTo: 100).isEmpty)
  }

  @Test func `a script runs in order and then nobody answers`() async throws {
    let stub = StubTransport(script: [.text("a"), .failing(CancellationError())])
    let first = try await stub.send(request, in: Exchange())
    #expect(try await first.body.collect(upTo: 9) == Data("a".utf8))
    await #expect(throws: CancellationError.self) { try await stub.send(request, in: Exchange()) }
    #expect(await kind { _ = try await stub.send(request, in: Exchange()) } == .connectionFailed)
  }

  @Test func `what it does not stand in for is refused with what is missing`() async throws {
    var request = request
    request.options.rateLimit = RateLimit(send: 1)
    let stub = StubTransport(.text("a"), capabilities: [])
    let error = await #expect(throws: NetworkError.self) { try await stub.send(request, in: Exchange()) }
    #expect(error?.kind == .unsupported)
    #expect(error?.details.missing == .rateLimit)
    #expect(stub.requestCount == 0)
  }

  @Test func `cancelling works before the head, in the body and by dropping it`() async throws {
    let gate = ManualGate()
    let stub = StubTransport { asked in
      if asked.index == 0 { try await gate.wait() }
      return StubAnswer(body: [.bytes(Data([1])), .stall])
    }
    let request = request
    let sending = Task { try await stub.send(request, in: Exchange()) }
    try await gate.waitForArrivals()
    sending.cancel()
    await #expect(throws: CancellationError.self) { try await sending.value }

    let exchange = Exchange()
    let response = try await stub.send(request, in: exchange)
    var iterator = response.body.makeAsyncIterator()
    _ = try await iterator.next()
    response.body.cancel()
    await #expect(throws: CancellationError.self) { try await iterator.next() }
    #expect(exchange.metrics.count == 1)

    let dropped = Exchange()
    _ = try await stub.send(request, in: dropped)
    #expect(dropped.metrics.count == 1)
    #expect(stub.inFlightCount == 0)
  }

  @Test func `shutting down ends what is in flight and refuses what comes`() async throws {
    let gate = ManualGate()
    let stub = StubTransport { asked in
      if asked.index == 0 { try await gate.wait() }
      return StubAnswer(body: [.bytes(Data([1])), .stall])
    }
    let request = request
    let waiting = Task { try await stub.send(request, in: Exchange()) }
    try await gate.waitForArrivals()
    let response = try await stub.send(request, in: Exchange())
    await stub.shutdown()
    #expect(await kind { _ = try await waiting.value } == .transportShutDown)
    #expect(await kind { _ = try await response.body.collect(upTo: 9) } == .transportShutDown)
    #expect(await kind { _ = try await stub.send(request, in: Exchange()) } == .transportShutDown)
    await stub.shutdown()
  }

  @Test func `timeouts follow the exchange's clock`() async throws {
    let clock = ManualClock()
    var settings = ExchangeSettings()
    settings.clock = clock
    var request = request
    request.options.timeouts = Timeouts(idle: .seconds(5), total: .seconds(60))
    let stub = StubTransport(StubAnswer(body: [.bytes(Data([1])), .stall]))
    let response = try await stub.send(request, in: Exchange(settings))
    let reading = Task { try await response.body.collect(upTo: 9) }
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    #expect(await kind { _ = try await reading.value } == .idleTimedOut)

    request.options.timeouts.idle = nil
    let slow = try await stub.send(request, in: Exchange(settings))
    let waiting = Task { try await slow.body.collect(upTo: 9) }
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(60))
    #expect(await kind { _ = try await waiting.value } == .timedOut)
  }

  @Test func `the answer sees the whole body, from bytes, stream and file`() async throws {
    let stub = StubTransport { asked in .bytes(asked.body) }
    var request = request
    request.method = .post
    request.body = .text("bytes")
    var response = try await stub.send(request, in: Exchange())
    #expect(try await response.body.collect(upTo: 9) == Data("bytes".utf8))

    let chunks = AsyncStream<Data> { continuation in
      continuation.yield(Data("str".utf8))
      continuation.yield(Data("eam".utf8))
      continuation.finish()
    }
    request.body = .stream(chunks, length: 6)
    response = try await stub.send(request, in: Exchange())
    #expect(try await response.body.collect(upTo: 9) == Data("stream".utf8))

    request.body = try .file(URL(filePath: #filePath), range: 0..<6)
    response = try await stub.send(request, in: Exchange())
    #expect(try await response.body.collect(upTo: 9) == Data("import".utf8))

    request.body = .stream(AsyncStream { $0.finish() }, length: 6)
    #expect(await kind { _ = try await stub.send(request, in: Exchange()) } == .bodyLengthMismatch)
  }
}
