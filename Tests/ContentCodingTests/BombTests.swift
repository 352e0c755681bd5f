import CurlewContentCoding
import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Little that decodes to much, over sockets.
@Suite(.timeLimit(.minutes(10))) struct BombTests {
  private static let size = 60 << 20

  @Test(arguments: ContentDecoder.codings)
  func `while a bomb's reader waits, others are served, and then all of it comes`(
    _ coding: ContentCoding
  ) async throws {
    let bomb = [UInt8](try CodedSample.coded(Data(count: Self.size), coding))
    let origin = try await ScriptedOrigin.start { request in
      request.path == "/bomb" ? .ok(bomb, ["Content-Encoding": coding.rawValue]) : .ok("small")
    }
    let transport = try CurlTransport()
    let loader = Loader(transport, chain: InterceptorChain(decoding: ContentDecoding()))
    let exchange = Exchange()
    let response = try await loader.load(Request(.get, origin.url("/bomb")), in: exchange)
    let sink = HeldSink(pieces: 3)
    async let drained: Void = response.body.drain(into: sink)
    try await sink.gate.waitForArrivals()
    for _ in 0..<20 {
      let small = try await loader.load(Request(.get, origin.url("/small")))
      #expect(try await small.body.collect(upTo: 10) == Data("small".utf8))
    }
    // The reader holds three pieces of 64 kB, however much the bytes that are there could give.
    #expect(sink.count == 3 * 65_536)
    sink.gate.open()
    try await drained
    #expect(sink.count == Self.size)
    let metrics = try #require(exchange.metrics.first)
    #expect(metrics.bytesReceived == Int64(bomb.count))
    await transport.shutdown()
    await origin.stop()
  }

  @Test(arguments: ContentDecoder.codings) func `a bomb beyond the limits ends in decodingLimitExceeded, others go on`(
    _ coding: ContentCoding
  ) async throws {
    let bomb = [UInt8](try CodedSample.coded(Data(count: Self.size), coding))
    let origin = try await ScriptedOrigin.start { request in
      request.path == "/bomb" ? .ok(bomb, ["Content-Encoding": coding.rawValue]) : .ok("small")
    }
    let transport = try CurlTransport()
    var limits = ContentDecodingLimits()
    limits.allowance = 5 << 20
    let loader = Loader(transport, chain: InterceptorChain(decoding: ContentDecoding(limits: limits)))
    for _ in 0..<3 {
      let response = try await loader.load(Request(.get, origin.url("/bomb")))
      let sink = HeldSink(pieces: .max)
      let error = await #expect(throws: NetworkError.self) { try await response.body.drain(into: sink) }
      #expect(error?.kind == .decodingLimitExceeded)
      #expect(sink.count <= 5 << 20)
      let small = try await loader.load(Request(.get, origin.url("/small")))
      #expect(try await small.body.collect(upTo: 10) == Data("small".utf8))
    }
    await transport.shutdown()
    await origin.stop()
  }
}

/// Counts what it gets, and waits once, after so many pieces, until its gate opens.
private final class HeldSink: BodySink {
  let gate = ManualGate()
  private let pieces: Int
  private let state = Guarded((count: 0, calls: 0))

  init(pieces: Int) { self.pieces = pieces }

  var count: Int { state.withLock { $0.count } }

  func receive(_ bytes: UnsafeRawBufferPointer) -> SinkDemand {
    let calls = state.withLock { state in
      state.count += bytes.count
      state.calls += 1
      return state.calls
    }
    return calls == pieces ? .pause : .more
  }

  func ready() async throws { try await gate.wait() }
}
