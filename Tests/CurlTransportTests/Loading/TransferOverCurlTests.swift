import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

/// Transfers over real sockets: what the stub promises, the wire keeps.
@Suite(.timeLimit(.minutes(10))) struct TransferOverCurlTests {
  private static let size: Int64 = 24 << 20
  private static let pattern = BytePattern.seeded(7)

  /// Compares with the pattern as bytes come, and says how many did.
  private final class Comparing: BodySink {
    private let state = Guarded((count: Int64(0), isSame: true))
    let reached: @Sendable (Int64) -> Void

    init(reached: @escaping @Sendable (Int64) -> Void = { _ in }) { self.reached = reached }

    var count: Int64 { state.withLock { $0.count } }
    var isSame: Bool { state.withLock { $0.isSame } }

    func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
      let count = state.withLock { state in
        let expected = TransferOverCurlTests.pattern.bytes(from: state.count, count: bytes.count)
        let isSame = expected.withUnsafeBytes { expected in
          // Safe because both hold as many bytes.
          guard let left = expected.baseAddress, let right = bytes.baseAddress else { return true }
          return memcmp(left, right, bytes.count) == 0
        }
        state.isSame = state.isSame && isSame
        state.count += Int64(bytes.count)
        return state.count
      }
      reached(count)
      return .more
    }
  }

  private func origin() async throws -> ScriptedOrigin {
    try await ScriptedOrigin.start { _ in .ok(Self.pattern, count: Self.size) }
  }

  private func transfer(
    _ transport: CurlTransport, _ origin: ScriptedOrigin, _ sink: Comparing
  )
    -> Transfer<TransferResult>
  {
    Transfer(Loader(transport), Request(.get, origin.url()), to: .custom { _, _ in sink })
  }

  @Test func `a download that is paused and resumed ten times is the same to the byte`() async throws {
    let origin = try await origin()
    let transport = try CurlTransport()
    let pauses = Collected<Int64>()
    let holder = Collected<Transfer<TransferResult>>()
    let sink = Comparing { count in
      guard Int64(pauses.all.count) < 10, count > Int64(pauses.all.count) * 2 << 20 else { return }
      pauses.append(count)
      holder.all.first?.pause()
    }
    let transfer = transfer(transport, origin, sink)
    holder.append(transfer)
    let outcome = ManualGate()
    transfer.onFinish(on: .serial()) { _ in outcome.open() }
    transfer.start()
    while !outcome.isOpen {
      if transfer.state == .paused {
        let before = sink.count
        // Each turn of the transport's loop would take more of the body.
        try await turn(transport, times: 50)
        #expect(sink.count - before <= 1 << 20)
        transfer.resume()
      }
      await Task.yield()
    }
    _ = try await transfer.value
    #expect(pauses.all.count == 10)
    #expect(sink.count == Self.size)
    #expect(sink.isSame)
    #expect(transfer.attempts.count == 1)
    #expect(origin.requests.count == 1)
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `a paused download leaves the bytes with the server`() async throws {
    let origin = try await origin()
    let transport = try CurlTransport()
    let holder = Collected<Transfer<TransferResult>>()
    let sink = Comparing { _ in holder.all.first?.pause() }
    let transfer = transfer(transport, origin, sink)
    holder.append(transfer)
    transfer.start()
    while transfer.state != .paused { await Task.yield() }
    // Each turn of the transport's loop would take more of the body.
    try await turn(transport, times: 500)
    transfer.cancel()
    await transfer.settled()
    #expect(await origin.until { $0.connectionsOpen == 0 })
    // Counted when the connection is closed. The kernel's buffers hold a third of it.
    #expect(origin.counters.bytesSent > 0)
    #expect(origin.counters.bytesSent < Self.size)
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `downloads that are cancelled anywhere end at once, and none is left`() async throws {
    let origin = try await origin()
    let transport = try CurlTransport()
    var random = SeededRandom(seed: 11)
    for _ in 0..<150 {
      let limit = Int64.random(in: 0..<(1 << 20), using: &random)
      let yields = Int.random(in: 0..<60, using: &random)
      let holder = Collected<Transfer<TransferResult>>()
      let sink = Comparing { count in if count > limit { holder.all.first?.cancel() } }
      let transfer = transfer(transport, origin, sink)
      holder.append(transfer)
      transfer.start()
      if limit < 1 << 19 {
        for _ in 0..<yields { await Task.yield() }
        transfer.cancel()
      }
      await #expect(throws: CancellationError.self) { try await transfer.value }
      await transfer.settled()
      #expect(sink.isSame)
    }
    #expect(await origin.until { $0.connectionsOpen == 0 })
    await transport.shutdown()
    await origin.stop()
  }

  /// Has the transport's loop go round, by small requests one after the other.
  private func turn(_ transport: CurlTransport, times: Int) async throws {
    let other = try await ScriptedOrigin.start { _ in .ok("") }
    for _ in 0..<times {
      let response = try await transport.send(Request(.get, other.url()), in: Exchange())
      _ = try await response.body.collect(upTo: 1)
    }
    await other.stop()
  }

  /// Long enough for a busy machine to pause a transfer in.
  private static let idle = Duration.seconds(2)

  /// Lets twice the idle time pass, by a request that nobody answers: the loop sees bytes that left when it looks.
  private func passIdleTime(_ transport: CurlTransport) async throws {
    let origin = try await ScriptedOrigin.start { _ in OriginReply(.wait(for: OriginGate())) }
    var silent = Request(.get, origin.url())
    silent.options.timeouts.total = Self.idle * 2.2
    await #expect(throws: NetworkError.self) { try await transport.send(silent, in: Exchange()) }
    await origin.stop()
  }

  @Test func `a paused upload sends nothing more, and its idle time stands still`() async throws {
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { _ in
      OriginReply(.readUpload(upTo: 1 << 20), .wait(for: gate), .readUpload(), .head(200, ["Content-Length": "0"]))
        .beforeUpload()
    }
    let transport = try CurlTransport()
    var request = Request(.put, origin.url(), body: .bytes(Data(count: 48 << 20)))
    request.options.timeouts.idle = Self.idle
    let transfer = Transfer(Loader(transport), request, to: .memory(limit: 100))
    transfer.start()
    await gate.reached()
    transfer.pause()
    gate.open()
    // What had left before arrives: the kernel's buffers hold a third of it at most.
    try await turn(transport, times: 500)
    try await passIdleTime(transport)
    #expect(transfer.state == .paused)
    #expect(origin.requests.last.map { $0.bodyLength < 24 << 20 } ?? false)
    transfer.resume()
    _ = try await transfer.value
    #expect(transfer.attemptCount == 1)
    #expect(transfer.uploadProgress.current.completed == 48 << 20)
    #expect(origin.requests.last?.bodyLength == 48 << 20)
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `a paused upload that has left waits for its answer for as long as it is paused`() async throws {
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { _ in
      OriginReply(.wait(for: gate), .head(200, ["Content-Length": "0"]))
    }
    let transport = try CurlTransport()
    var request = Request(.put, origin.url(), body: .bytes(Data(count: 1 << 20)))
    request.options.timeouts.idle = Self.idle
    let transfer = Transfer(Loader(transport), request, to: .memory(limit: 100))
    transfer.start()
    await gate.reached()
    transfer.pause()
    try await passIdleTime(transport)
    #expect(transfer.state == .paused)
    transfer.resume()
    gate.open()
    _ = try await transfer.value
    #expect(transfer.attemptCount == 1)
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `an upload that is paused and resumed at random is the same to the byte`() async throws {
    let origin = try await ScriptedOrigin.start { request in .ok("\(await request.body().count)") }
    let transport = try CurlTransport()
    let size = 8 << 20
    let sent = Self.pattern.bytes(from: 0, count: size)
    let transfer = Transfer(
      Loader(transport), Request(.put, origin.url(), body: .bytes(Data(sent))), to: .memory(limit: 100))
    transfer.start()
    var random = SeededRandom(seed: 3)
    var pauses = 0
    while transfer.state != .finished, pauses < 5_000 {
      if transfer.pause() { pauses += 1 }
      for _ in 0..<Int.random(in: 0..<20, using: &random) { await Task.yield() }
      transfer.resume()
      for _ in 0..<Int.random(in: 0..<20, using: &random) { await Task.yield() }
    }
    _ = try await transfer.value
    #expect(pauses > 0)
    #expect(transfer.attemptCount == 1)
    let request = try #require(origin.requests.last)
    #expect(request.bodyLength == size)
    #expect(request.received == Array(sent.prefix(request.received.count)))
    await transport.shutdown()
    await origin.stop()
  }

  @Test(
    .enabled(if: NginxEndpoint.isAvailable, "nginx is not installed"),
    .enabled(if: CurlTransport.offersHTTP2, "this libcurl is not reliable over HTTP/2"))
  func `paused downloads over HTTP/2 leave their bytes with the server while others run`() async throws {
    let endpoint = try await NginxEndpoint.start(try TestIdentity.authority().issue())
    var configuration = CurlTransport.Configuration()
    configuration.version = .http2
    let transport = try CurlTransport(configuration)
    let loader = Loader(transport, settings: endpoint.settings)
    let size: Int64 = 32 << 20
    let place = endpoint.open { _ in .pattern(size) }
    let head = try await loader.data(for: Request(.get, endpoint.open { _ in .text("a") }.url()), upTo: 1).1
    var paused: [(transfer: Transfer<TransferResult>, sink: Counting)] = []
    for number in 0..<3 {
      let holder = Collected<Transfer<TransferResult>>()
      // Paused by its first bytes, however late this task runs.
      let sink = Counting { if $0 == 0 { holder.all.first?.pause() } }
      let transfer = Transfer(loader, Request(.get, place.url("?\(number)")), to: .custom { _, _ in sink })
      holder.append(transfer)
      transfer.start()
      while transfer.state != .paused { await Task.yield() }
      paused.append((transfer, sink))
    }
    let other = endpoint.open { _ in .pattern(size / 2) }
    for _ in 0..<2 {
      let (body, _) = try await loader.data(for: Request(.get, other.url()), upTo: Int(size))
      #expect(Int64(body.count) == size / 2)
    }
    // The kernel's buffers and nginx's, for three.
    #expect(head.version == .http2)
    #expect(place.sentBytes < 3 * 24 << 20)
    for (transfer, _) in paused { transfer.resume() }
    for (transfer, sink) in paused {
      _ = try await transfer.value
      #expect(transfer.attemptCount == 1)
      #expect(sink.count == size)
    }
    await transport.shutdown()
    await endpoint.stop()
  }

  @Test func `an upload's progress ends with the last byte`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      _ = await request.body()
      return .ok("thanks")
    }
    let transport = try CurlTransport()
    let request = Request(.put, origin.url(), body: .bytes(Data(count: 3 << 20)))
    let transfer = Transfer(Loader(transport), request, to: .memory(limit: 100))
    let seen = Collected<TransferProgress>()
    let told = ManualGate()
    transfer.uploadProgress.observe(on: .serial()) { progress in
      seen.append(progress)
      if progress.isFinal { told.open() }
    }
    _ = try await transfer.run()
    try await told.wait()
    #expect(seen.all.last?.completed == 3 << 20)
    #expect(seen.all.map(\.recent).reduce(0, +) == 3 << 20)
    await transport.shutdown()
    await origin.stop()
  }
}

/// Values from anywhere, in order.
private final class Collected<Value: Sendable>: Sendable {
  private let values = Guarded<[Value]>([])
  func append(_ value: Value) { values.withLock { $0.append(value) } }
  var all: [Value] { values.withLock { $0 } }
}

/// Counts bytes, and tells before each piece how many came so far.
private final class Counting: BodySink {
  private let state = Guarded(Int64(0))
  private let tell: @Sendable (Int64) -> Void

  init(tell: @escaping @Sendable (Int64) -> Void) { self.tell = tell }

  var count: Int64 { state.withLock { $0 } }

  func receive(_ bytes: UnsafeRawBufferPointer) -> SinkDemand {
    tell(count)
    state.withLock { $0 += Int64(bytes.count) }
    return .more
  }
}
