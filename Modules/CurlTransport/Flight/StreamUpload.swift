import CurlewCore
import FoundationEssentials

/// A body whose chunks a task produces, with backpressure.
///
/// The task waits while enough bytes are buffered.
// Safe because all changes are guarded by `state`; only the loop's thread uses `chunking`.
final class StreamUpload: Upload, @unchecked Sendable {
  private struct State {
    var bytes = UploadBuffer()
    var isComplete = false
    var failure: NetworkError?
    var loopWaits = false
    var isStopped = false
    var waiter: UnsafeContinuation<Void, Never>?
  }

  private static let highWater = 256 * 1024

  let length: Int64?
  private let told: @Sendable (any Error) -> NetworkError
  private let make: @Sendable () async throws -> any BodyChunks
  private weak var flight: CurlFlight?
  private let state = Guarded(State())
  private var task: Task<Void, Never>?
  private var chunking = ChunkLedger()

  /// Creates an upload of chunks.
  ///
  /// - Parameters:
  ///   - length: The number of bytes of all chunks; nil if unknown.
  ///   - told: Returns the error for a failure of the source.
  ///   - make: Starts the source.
  init(
    length: Int64?, flight: CurlFlight, told: @escaping @Sendable (any Error) -> NetworkError = StreamUpload.told,
    make: @escaping @Sendable () async throws -> any BodyChunks
  ) {
    self.length = length
    self.flight = flight
    self.told = told
    self.make = make
  }

  /// Returns the error for a failure of the app's own source.
  static func told(_ error: any Error) -> NetworkError {
    NetworkError(
      .bodySourceFailed, stage: .sending, message: "The source of the request's body failed.", underlying: error)
  }

  // MARK: The loop's side

  func start() {
    task = Task { [self] in await produce() }
  }

  func stop() {
    task?.cancel()
    task = nil
    let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      state.isStopped = true
      state.bytes.removeAll()
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> UploadReading {
    let (reading, waiter) = state.withLock { state -> (UploadReading, UnsafeContinuation<Void, Never>?) in
      if let failure = state.failure { return (.failed(failure), nil) }
      guard !state.bytes.isEmpty else {
        if state.isComplete { return (.end, nil) }
        state.loopWaits = true
        return (.wait, nil)
      }
      let count = state.bytes.take(into: buffer)
      guard state.bytes.count < Self.highWater / 2 else { return (.bytes(count), nil) }
      defer { state.waiter = nil }
      return (.bytes(count), state.waiter)
    }
    waiter?.resume()
    if case .bytes(let count) = reading, length == nil { chunking.handed(count) }
    return reading
  }

  func payload(of written: Int64) -> Int64 { length == nil ? chunking.payload(of: written) : written }

  // MARK: The task's side

  private func produce() async {
    var made: Int64 = 0
    do {
      let chunks = try await make()
      while let chunk = try await chunks.next() {
        if chunk.isEmpty { continue }
        made += Int64(chunk.count)
        if let length, made > length { return failLength() }
        if made == length {
          // Send the last bytes only when it is certain that no more follow.
          while let more = try await chunks.next() { if !more.isEmpty { return failLength() } }
          await give(chunk)
          break
        }
        await give(chunk)
        if Task.isCancelled { return }
      }
      if let length, made != length { return failLength() }
      complete()
    } catch is CancellationError where Task.isCancelled {
      return
    } catch {
      fail(told(error))
    }
  }

  private func give(_ chunk: Data) async {
    let wakes = state.withLock { state -> Bool in
      guard !state.isStopped else { return false }
      state.bytes.append(chunk)
      defer { state.loopWaits = false }
      return state.loopWaits
    }
    if wakes { wakeLoop() }
    await withUnsafeContinuation { continuation in
      let goesOn = state.withLock { state -> Bool in
        if state.bytes.count < Self.highWater || state.isStopped { return true }
        state.waiter = continuation
        return false
      }
      if goesOn { continuation.resume() }
    }
  }

  private func complete() { change { $0.isComplete = true } }

  private func fail(_ error: NetworkError) { change { $0.failure = error } }

  private func failLength() {
    fail(
      NetworkError(
        .bodyLengthMismatch, stage: .sending, message: "The request's body is longer or shorter than was announced."))
  }

  private func change(_ body: (inout State) -> Void) {
    let wakes = state.withLock { state -> Bool in
      body(&state)
      defer { state.loopWaits = false }
      return state.loopWaits
    }
    if wakes { wakeLoop() }
  }

  private func wakeLoop() {
    if let flight { flight.loop.post(.send(flight)) }
  }
}

/// Converts bytes written by libcurl to bytes of a chunked body (RFC 9112 §7.1).
struct ChunkLedger {
  private var wire: Int64 = 0
  private var payload: Int64 = 0
  private var lastStart: (wire: Int64, payload: Int64) = (0, 0)
  private var lastHead: Int64 = 0

  /// Records bytes that libcurl writes as one chunk.
  mutating func handed(_ count: Int) {
    lastStart = (wire, payload)
    lastHead = Int64(String(count, radix: 16).utf8.count) + 2
    wire += lastHead + Int64(count) + 2
    payload += Int64(count)
  }

  /// Returns the number of body bytes among the bytes that were written.
  func payload(of written: Int64) -> Int64 {
    if written >= wire { return payload }
    let inside = written - lastStart.wire - lastHead
    return max(lastStart.payload, min(payload, lastStart.payload + max(0, inside)))
  }
}

/// A queue of bytes between the source of a body and libcurl.
///
/// Each chunk is released when all of it was taken.
struct UploadBuffer {
  private var chunks: [Data] = []
  /// The index of the first chunk with remaining bytes; earlier ones are empty.
  private var first = 0
  /// The number of bytes taken from that chunk.
  private var taken = 0
  /// The number of bytes in the queue.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// The number of bytes in memory, including taken bytes of the first chunk.
  var held: Int { chunks.reduce(0) { $0 + $1.count } }

  mutating func append(_ chunk: Data) {
    guard !chunk.isEmpty else { return }
    chunks.append(chunk)
    count += chunk.count
  }

  /// Takes as many bytes as fit and returns their number.
  mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    var written = 0
    while written < buffer.count, first < chunks.count {
      let chunk = chunks[first]
      let size = min(buffer.count - written, chunk.count - taken)
      chunk.dropFirst(taken).copyBytes(
        to: UnsafeMutableRawBufferPointer(rebasing: buffer[written..<(written + size)]), count: size)
      written += size
      taken += size
      if taken == chunk.count { dropChunk() }
    }
    count -= written
    return written
  }

  mutating func removeAll() { self = UploadBuffer() }

  private mutating func dropChunk() {
    chunks[first] = Data()
    first += 1
    taken = 0
    // Moving the rest once it is the smaller half costs no more than appending each chunk did.
    guard first * 2 >= chunks.count else { return }
    chunks.removeFirst(first)
    first = 0
  }
}
