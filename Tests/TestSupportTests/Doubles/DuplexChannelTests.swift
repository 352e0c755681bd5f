import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Synchronization
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

  @Test func `an end after the last byte was sent is no error of sending, and one before it is`() async throws {
    for isSent in [true, false] {
      let (left, right) = DuplexConnection.pair()
      let receiver = CollectingReceiver(demand: .pause)
      right.deliver(to: receiver.received, ended: receiver.ended)
      try left.write(Data([1]))
      // What is written to a peer that reads no more stays.
      if !isSent { try left.write(Data([2])) }
      #expect(left.unsentBytes == (isSent ? 0 : 1))
      right.cancel()
      if isSent {
        try await left.writable()
      } else {
        await #expect(throws: NetworkError.self) { try await left.writable() }
      }
      #expect(throws: NetworkError.self) { try left.write(Data([3])) }
    }
  }

  @Test func `bytes that have arrived are sent, even if the other end has cancelled by then`() async throws {
    let (left, right) = DuplexConnection.pair()
    right.deliver(
      to: { [weak right] _ in
        right?.cancel()
        return .more
      }, ended: { _ in })
    try await left.send(Data([1]))
    #expect(throws: NetworkError.self) { try left.write(Data([2])) }
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

  @Test func `a receiver gets what arrived before it and what arrives later, in order, and the end once`() async throws
  {
    for closes in [true, false] {
      let (left, right) = DuplexConnection.pair()
      try left.write(Data([1, 2]))
      let receiver = CollectingReceiver()
      right.deliver(to: receiver.received, ended: receiver.ended)
      #expect(receiver.bytes == [1, 2])
      try left.write(Data([3]))
      #expect(receiver.bytes == [1, 2, 3])
      #expect(receiver.ends.isEmpty)
      if closes { left.close() } else { left.cancel() }
      #expect(receiver.ends == [closes ? nil : .connectionLost])
      right.cancel()
      #expect(receiver.ends.count == 1)
    }
  }

  @Test func `a receiver of a connection that has ended gets the rest and the end at once`() throws {
    let (left, right) = DuplexConnection.pair()
    try left.write(Data([1]))
    left.close()
    let receiver = CollectingReceiver()
    right.deliver(to: receiver.received, ended: receiver.ended)
    #expect(receiver.bytes == [1])
    #expect(receiver.ends == [nil])
  }

  @Test func `a receiver that pauses gets nothing before it resumes, and the sender waits`() async throws {
    let (left, right) = DuplexConnection.pair()
    // More than the connection holds: its driver was told to pause before there was a receiver.
    try left.write(Data(repeating: 1, count: 200_000))
    try left.write(Data(repeating: 2, count: 200_000))
    let receiver = CollectingReceiver(demand: .pause)
    right.deliver(to: receiver.received, ended: receiver.ended)
    #expect(receiver.bytes.count == 200_000)
    #expect(left.unsentBytes == 200_000)
    receiver.set(.more)
    right.resume()
    #expect(receiver.bytes.count == 400_000)
    try await left.writable()
  }

  @Test func `a receiver without a pause is given what a full connection held back`() throws {
    let (left, right) = DuplexConnection.pair()
    for number in 0..<10 { try left.write(Data(repeating: UInt8(number), count: 50_000)) }
    let receiver = CollectingReceiver()
    right.deliver(to: receiver.received, ended: receiver.ended)
    #expect(receiver.bytes == (0..<10).flatMap { [UInt8](repeating: $0, count: 50_000) })
  }

  @Test func `a receiver whose own side cancels learns it as a cancellation, and is released`() throws {
    let (left, right) = DuplexConnection.pair()
    var receiver: CollectingReceiver? = CollectingReceiver()
    weak let weakReceiver = receiver
    if let receiver { right.deliver(to: receiver.received, ended: receiver.ended) }
    right.cancel()
    #expect(receiver?.ends == [.cancellation])
    receiver = nil
    #expect(weakReceiver == nil)
    #expect(throws: NetworkError.self) { try left.write(Data([1])) }
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

/// A receiver that keeps what it gets.
private final class CollectingReceiver: Sendable {
  enum End: Equatable {
    case connectionLost
    case cancellation
    case other
  }

  private struct State {
    var bytes: [UInt8] = []
    var ends: [End?] = []
    var demand: BodyChannel.Demand
  }

  private let state: Mutex<State>

  init(demand: BodyChannel.Demand = .more) { state = Mutex(State(demand: demand)) }

  var bytes: [UInt8] { state.withLock { $0.bytes } }
  var ends: [End?] { state.withLock { $0.ends } }

  func set(_ demand: BodyChannel.Demand) { state.withLock { $0.demand = demand } }

  func received(_ bytes: Data) -> BodyChannel.Demand {
    state.withLock { state in
      state.bytes += bytes
      return state.demand
    }
  }

  func ended(_ error: (any Error)?) {
    let end: End? =
      switch error {
      case nil: nil
      case is CancellationError: .cancellation
      case let error as NetworkError where error.kind == .connectionLost: .connectionLost
      default: .other
      }
    state.withLock { $0.ends.append(end) }
  }
}
