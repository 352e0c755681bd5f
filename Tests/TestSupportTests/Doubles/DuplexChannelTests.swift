import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// The two ends of a connection in memory, which share a `DuplexChannel` each.
@Suite struct DuplexChannelTests {
  @Test func `bytes arrive at the other end in order, and the end after them`() async throws {
    let (left, right) = DuplexConnection.pair()
    for number in 0..<100 { try left.write(Data([UInt8(number)])) }
    left.close()
    var all = Data()
    while let bytes = try await right.receive() { all.append(bytes) }
    #expect(all == Data(0..<100))
    #expect(throws: NetworkError.self) { try left.write(Data([1])) }
  }

  @Test func `a sender waits for a reader, and goes on when it reads`() async throws {
    let (left, right) = DuplexConnection.pair()
    let sending = Task {
      for _ in 0..<100 { try await left.send(Data(repeating: 1, count: 10_000)) }
      left.close()
    }
    while left.unsentBytes < 64 * 1024 { await Task.yield() }
    var count = 0
    while let bytes = try await right.receive() {
      #expect(bytes.count < 128 * 1024)
      count += bytes.count
    }
    #expect(count == 1_000_000)
    try await sending.value
  }

  @Test func `both ends can send at once`() async throws {
    let (left, right) = DuplexConnection.pair()
    @Sendable func send(_ connection: DuplexConnection) async throws {
      for _ in 0..<200 { try await connection.send(Data(repeating: 7, count: 5000)) }
    }
    @Sendable func receive(_ connection: DuplexConnection) async throws -> Int {
      var count = 0
      while count < 1_000_000, let bytes = try await connection.receive() { count += bytes.count }
      return count
    }
    async let first: Void = send(left)
    async let second: Void = send(right)
    async let third = receive(left)
    async let fourth = receive(right)
    try await first
    try await second
    #expect(try await third == 1_000_000)
    #expect(try await fourth == 1_000_000)
  }

  @Test func `a connection that is cancelled or released is lost for the other end, after the bytes that arrived`()
    async throws
  {
    for cancels in [true, false] {
      var left: DuplexConnection?
      let right: DuplexConnection
      (left, right) = DuplexConnection.pair()
      try left?.write(Data([1]))
      if cancels { left?.cancel() }
      left = nil
      #expect(try await right.receive() == Data([1]))
      let error = await #expect(throws: NetworkError.self) { try await right.receive() }
      #expect(error?.kind == .connectionLost)
      #expect(throws: NetworkError.self) { try right.write(Data([1])) }
    }
  }

  @Test func `a task that is cancelled stops waiting, and the connection goes on`() async throws {
    let (left, right) = DuplexConnection.pair()
    let waiting = Task { try await right.receive() }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    try await left.send(Data([1]))
    #expect(try await right.receive() == Data([1]))
  }

  @Test func `a stub's connection leads to its code`() async throws {
    let stub = StubTransport(conversing: { asked, connection in
      #expect(asked.request.url.path == "/chat")
      while let bytes = try? await connection.receive() { try? await connection.send(bytes) }
    })
    let request = Request(.get, try #require(URL(string: "http://birds.example/chat")))
    let connection = try await stub.connect(request, in: Exchange())
    try await connection.send(Data([1, 2]))
    #expect(try await connection.receive() == Data([1, 2]))
    await stub.shutdown()
    let error = await #expect(throws: NetworkError.self) { try await connection.receive() }
    #expect(error?.kind == .connectionLost)
    await #expect(throws: NetworkError.self) { try await stub.connect(request, in: Exchange()) }
  }

  @Test func `a registry connects with the first transport that can, and a transport that cannot is refused`()
    async throws
  {
    let registry = TransportRegistry()
      .adding("plain") { StubTransport(.text("hello")) }
      .adding("duplex") { StubTransport(conversing: { _, connection in try? await connection.send(Data([9])) }) }
    let request = Request(.get, try #require(URL(string: "http://birds.example/")))
    let connection = try await registry.connect(request, in: Exchange())
    #expect(try await connection.receive() == Data([9]))
    let plain = TransportRegistry().adding("plain") { StubTransport(.text("hello")) }
    let error = await #expect(throws: NetworkError.self) { try await plain.connect(request, in: Exchange()) }
    #expect(error?.kind == .unsupported)
    #expect(error?.details.missing == .duplex)
  }
}
