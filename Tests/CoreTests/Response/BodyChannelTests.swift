import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import CurlewCore

@Suite struct BodyChannelTests {
  private static let head = ResponseHead(url: URL(string: "http://a.test/") ?? URL(filePath: "/"), status: .ok)

  @Test(arguments: [false, true])
  func `a thread's bytes reach a task that reads, all and in order`(drains: Bool) async throws {
    let producer = ThreadedProducer(pieces: 3_000, pieceBytes: 1_000, pausingFrom: 10_000)
    let response = try await producer.response(Self.head)
    #expect(response.head.status == .ok)
    let sink = PausingSink(every: drains ? 7 : 0)
    if drains {
      try await response.body.drain(into: sink)
    } else {
      for try await chunk in response.body { _ = try chunk.withUnsafeBytes { try sink.receive($0) } }
    }
    #expect(sink.state.withLock { $0.bytes } == 3_000_000)
    #expect(sink.state.withLock { $0.isInOrder })
    #expect(response.body.trailers == [.eTag: "\"end\""])
    #expect(producer.pauses.withLock { $0.count } == producer.resumes.withLock { $0 })
  }

  @Test func `a sink that is ready at once gets most bytes on the producer's thread`() async throws {
    let producer = ThreadedProducer(pieces: 1_000, pieceBytes: 1_000, pausingFrom: 10_000)
    let sink = PausingSink(every: 0)
    try await producer.response(Self.head).body.drain(into: sink)
    let threads = sink.state.withLock { $0.threads }
    let thread = try #require(producer.thread.withLock { $0 })
    #expect(threads[thread, default: 0] >= 900)
  }

  @Test func `what a sink throws at the producer's thread, the drain throws, once the producer is through`()
    async throws
  {
    struct Full: Error {}
    let producer = ManualProducer(pausingFrom: 10)
    producer.channel.connect(producer)
    producer.channel.respond(Self.head)
    let response = try await producer.channel.response()
    let sink = ThrowingSink(Full())
    let draining = Task { try await response.body.drain(into: sink) }
    // The sink is lent once nothing is buffered.
    while sink.whileThrowing({ producer.channel.put(Data([1])) }) != .gone { await Task.yield() }
    #expect(!producer.channel.isCancelled)
    producer.channel.finish(NetworkError(.sinkFailed, stage: .receivingBody, message: "It stopped."))
    await #expect(throws: Full.self) { try await draining.value }
  }

  @Test func `a reader that gives up stops the producer once, and lets go of it`() async throws {
    var producer: ManualProducer? = ManualProducer(pausingFrom: 10)
    weak let held = producer
    let channel = try #require(producer?.channel)
    if let producer { channel.connect(producer) }
    channel.respond(Self.head)
    let response = try await channel.response()
    response.body.cancel()
    response.body.cancel()
    #expect(producer?.calls.withLock { $0.stops } == 1)
    #expect(channel.put(Data([1])) == .gone)
    producer = nil
    #expect(held != nil, "the channel holds its producer until it has ended")
    channel.finish(CancellationError())
    #expect(held == nil)
    await #expect(throws: CancellationError.self) { try await response.body.collect(upTo: 1) }
  }

  @Test func `a body that is dropped stops the producer`() async throws {
    let producer = ManualProducer(pausingFrom: 10)
    producer.channel.connect(producer)
    producer.channel.respond(Self.head)
    _ = try await producer.channel.response().head
    #expect(producer.calls.withLock { $0.stops } == 1)
    producer.channel.finish()
  }

  @Test func `a task that is cancelled before the head stops the producer`() async throws {
    let producer = ManualProducer(pausingFrom: 10)
    producer.channel.connect(producer)
    let waiting = Task { _ = try await producer.channel.response() }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(producer.calls.withLock { $0.stops } == 1)
    producer.channel.finish()
  }

  @Test func `a sink may give its own body up`() async throws {
    let producer = ManualProducer(pausingFrom: 10)
    producer.channel.connect(producer)
    producer.channel.respond(Self.head)
    let response = try await producer.channel.response()
    let sink = CallingSink { response.body.cancel() }
    let draining = Task { try await response.body.drain(into: sink) }
    while producer.channel.put(Data([1])) != .gone { await Task.yield() }
    #expect(producer.channel.isCancelled)
    #expect(producer.calls.withLock { $0.stops } == 1)
    await #expect(throws: CancellationError.self) { try await draining.value }
    producer.channel.finish()
  }

  @Test func `a drain that is cancelled returns once its sink is called no more`() async throws {
    let producer = ThreadedProducer(pieces: 10_000, pieceBytes: 1, pausingFrom: 10)
    let sink = BlockingSink(producer)
    let response = try await producer.response(Self.head)
    let hasReturned = Guarded(false)
    let draining = Task {
      defer { hasReturned.withLock { $0 = true } }
      try await response.body.drain(into: sink)
    }
    while !sink.isBlocked.withLock({ $0 }) { await Task.yield() }
    draining.cancel()
    // One that is cancelled later, and whose sink does not block, returns.
    let other = ManualProducer(pausingFrom: 10)
    other.channel.connect(other)
    other.channel.respond(Self.head)
    let otherResponse = try await other.channel.response()
    let twin = Task { try await otherResponse.body.drain(into: CallingSink {}) }
    twin.cancel()
    await #expect(throws: CancellationError.self) { try await twin.value }
    other.channel.finish()
    #expect(!hasReturned.withLock { $0 })
    sink.go.signal()
    await #expect(throws: CancellationError.self) { try await draining.value }
    #expect(!sink.isBlocked.withLock { $0 })
  }

  @Test func `the longest call of a sink is measured`() async throws {
    let producer = ManualProducer(pausingFrom: 10)
    producer.channel.connect(producer)
    producer.channel.respond(Self.head)
    let response = try await producer.channel.response()
    let isLent = Guarded(false)
    let sink = CallingSink { isLent.withLock { $0 = true } }
    let draining = Task { try await response.body.drain(into: sink) }
    while producer.channel.longestSinkCall == .zero { _ = producer.channel.put(Data([1])) }
    #expect(isLent.withLock { $0 })
    producer.channel.finish()
    try await draining.value
  }
}

/// Is told of the reader, and does nothing by itself.
private final class ManualProducer: BodyProducer {
  let channel: BodyChannel
  let calls = Guarded((resumes: 0, stops: 0))

  init(pausingFrom bytes: Int) { channel = BodyChannel(pausingFrom: bytes) }

  func resumeProducing() { calls.withLock { $0.resumes += 1 } }

  func stopProducing() { calls.withLock { $0.stops += 1 } }
}

/// Puts pieces from a thread of its own, as a transport does.
private final class ThreadedProducer: BodyProducer {
  struct Pauses {
    var isPaused = false
    var count = 0
  }

  let channel: BodyChannel
  let pauses = Guarded(Pauses())
  let resumes = Guarded(0)
  let thread = Guarded<UInt?>(nil)
  private let wake = UnsafeSemaphore()
  private let pieces: Int
  private let pieceBytes: Int

  init(pieces: Int, pieceBytes: Int, pausingFrom bytes: Int) {
    self.pieces = pieces
    self.pieceBytes = pieceBytes
    channel = BodyChannel(pausingFrom: bytes)
  }

  func response(_ head: ResponseHead) async throws -> Response {
    channel.connect(self)
    let this = Unmanaged.passRetained(self).toOpaque()
    var thread = pthread_t()
    channel.respond(head)
    let code = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<ThreadedProducer>.fromOpaque(context).takeRetainedValue().produce() }
        return nil
      }, this)
    #expect(code == 0)
    pthread_detach(thread)
    return try await channel.response()
  }

  private func produce() {
    thread.withLock { $0 = UInt(pthread_self()) }
    var next: UInt8 = 0
    for _ in 0..<pieces {
      let piece = Data((0..<pieceBytes).map { next &+ UInt8(truncatingIfNeeded: $0) })
      next &+= UInt8(truncatingIfNeeded: pieceBytes)
      offering: while true {
        switch piece.withUnsafeBytes({ channel.put($0) }) {
        case .more: break offering
        case .pause:
          pauses.withLock { $0.count += 1 }
          wake.wait()
        case .gone: return channel.finish(CancellationError())
        }
      }
    }
    channel.finish(trailers: [.eTag: "\"end\""])
  }

  func resumeProducing() {
    resumes.withLock { $0 += 1 }
    wake.signal()
  }

  func stopProducing() { wake.signal() }
}

/// A POSIX semaphore.
// Safe because POSIX semaphores are.
private final class UnsafeSemaphore: @unchecked Sendable {
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func wait() { while sem_wait(semaphore) != 0 {} }

  func signal() { sem_post(semaphore) }
}

/// Checks that bytes count up, and pauses now and then.
private final class PausingSink: BodySink {
  struct State {
    var bytes = 0
    var calls = 0
    var isInOrder = true
    var isWaiting = false
    /// How many calls each thread made.
    var threads: [UInt: Int] = [:]
  }

  let state = Guarded(State())
  private let interval: Int

  /// - Parameter interval: Which calls pause; 0 for none.
  init(every interval: Int) { self.interval = interval }

  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
    state.withLock { state in
      if state.isWaiting { state.isInOrder = false }
      for byte in bytes {
        if byte != UInt8(truncatingIfNeeded: state.bytes) { state.isInOrder = false }
        state.bytes += 1
      }
      state.calls += 1
      state.threads[UInt(pthread_self()), default: 0] += 1
      state.isWaiting = interval > 0 && state.calls % interval == 0
      return state.isWaiting ? .pause : .more
    }
  }

  func ready() async throws {
    await Task.yield()
    state.withLock { $0.isWaiting = false }
  }
}

/// Throws on one thread.
private final class ThrowingSink: BodySink {
  private let error: any Error
  private let thread = Guarded<UInt?>(nil)

  init(_ error: any Error) { self.error = error }

  /// Throws on this thread during a call.
  func whileThrowing<Result>(_ call: () -> Result) -> Result {
    thread.withLock { $0 = UInt(pthread_self()) }
    defer { thread.withLock { $0 = nil } }
    return call()
  }

  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
    if thread.withLock({ $0 }) == UInt(pthread_self()) { throw error }
    return .more
  }
}

/// Blocks its producer's thread.
private final class BlockingSink: BodySink {
  let isBlocked = Guarded(false)
  let go = UnsafeSemaphore()
  private let producer: ThreadedProducer

  init(_ producer: ThreadedProducer) { self.producer = producer }

  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
    guard producer.thread.withLock({ $0 }) == UInt(pthread_self()) else { return .more }
    isBlocked.withLock { $0 = true }
    go.wait()
    isBlocked.withLock { $0 = false }
    return .more
  }
}

private final class CallingSink: BodySink {
  private let call: @Sendable () -> Void

  init(_ call: @escaping @Sendable () -> Void) { self.call = call }

  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
    call()
    return .more
  }
}
