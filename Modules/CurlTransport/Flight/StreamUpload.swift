import CurlewCore
import FoundationEssentials

/// A body made chunk by chunk in a task of its own, with backpressure: the task waits while enough is there.
// Safe because everything that changes is behind `state`; `chunking` belongs to the loop's thread.
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

  /// - Parameters:
  ///   - length: How many bytes the chunks make together; nil when unknown.
  ///   - told: What the app is told of a failure of the source.
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

  /// What the app is told of a failure of its own source.
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
          // The last bytes go out only when it is certain that they are the last.
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

/// Tells how much of what libcurl wrote of a chunked body is the body's own (RFC 9112 §7.1).
struct ChunkLedger {
  private var wire: Int64 = 0
  private var payload: Int64 = 0
  private var lastStart: (wire: Int64, payload: Int64) = (0, 0)
  private var lastHead: Int64 = 0

  /// libcurl was handed so many bytes, which it writes as one chunk.
  mutating func handed(_ count: Int) {
    lastStart = (wire, payload)
    lastHead = Int64(String(count, radix: 16).utf8.count) + 2
    wire += lastHead + Int64(count) + 2
    payload += Int64(count)
  }

  /// The body's share of so many bytes written.
  func payload(of written: Int64) -> Int64 {
    if written >= wire { return payload }
    let inside = written - lastStart.wire - lastHead
    return max(lastStart.payload, min(payload, lastStart.payload + max(0, inside)))
  }
}
