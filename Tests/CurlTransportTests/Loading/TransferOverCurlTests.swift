import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

/// Transfers over real sockets: what the stub promises, the wire keeps.
@Suite struct TransferOverCurlTests {
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
        for _ in 0..<2_000 { await Task.yield() }
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
    var sent: Int64 = -1
    while sent != origin.counters.bytesSent {
      sent = origin.counters.bytesSent
      for _ in 0..<20_000 { await Task.yield() }
    }
    #expect(sent < Self.size)
    transfer.cancel()
    await transfer.settled()
    #expect(await origin.until { $0.connectionsOpen == 0 })
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
