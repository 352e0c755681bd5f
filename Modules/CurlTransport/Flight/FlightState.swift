import CurlewCore
import FoundationEssentials
import HTTPTypes

/// What the loop and the waiting task share of a flight. Pure.
struct FlightState {
  private(set) var head: ResponseHead?
  private var chunks: [Data] = []
  private var taken = 0
  /// Bytes that wait for the reader.
  private(set) var buffered = 0
  private(set) var hasEnded = false
  private var error: (any Error)?
  private(set) var trailers: HTTPFields?
  var isCancelled = false
  /// Whether the loop left the socket alone until the reader has room.
  var loopWaits = false
  /// Who waits for news; at most one.
  var waiter: UnsafeContinuation<Void, Never>?
  /// Where bytes go instead of the buffer.
  var sink: (any BodySink)?
  var sinkWaits = false

  var headIsThere: Bool { head != nil || hasEnded }
  var bytesAreThere: Bool { buffered > 0 || hasEnded }
  var drainNeedsTask: Bool { sinkWaits || hasEnded }

  mutating func arrive(_ head: ResponseHead) { self.head = head }

  /// The head, once; nil when it has not arrived.
  mutating func takeHead() throws -> ResponseHead? {
    if isCancelled { throw CancellationError() }
    if let head { return head }
    if let error { throw error }
    if hasEnded { throw NetworkError(.internal, stage: .awaitingHead, message: "The transfer ended without a head.") }
    return nil
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard !isCancelled, let base = bytes.baseAddress else { return }
    buffered += bytes.count
    // Many small chunks become one, so that the list stays short.
    if let last = chunks.indices.last, last >= taken, chunks[last].count + bytes.count <= 16_384 {
      chunks[last].append(contentsOf: bytes)
    } else {
      chunks.append(Data(bytes: base, count: bytes.count))
    }
  }

  /// What the reader gets: bytes, the end, an error, or nothing yet.
  enum Reading {
    case chunk(Data)
    case end
    case none
  }

  mutating func read() throws -> Reading {
    if isCancelled { throw CancellationError() }
    if taken < chunks.count {
      let chunk = chunks[taken]
      chunks[taken] = Data()
      taken += 1
      if taken == chunks.count {
        chunks.removeAll(keepingCapacity: true)
        taken = 0
      }
      buffered -= chunk.count
      return .chunk(chunk)
    }
    if let error { throw error }
    return hasEnded ? .end : .none
  }

  /// The bytes that came before a sink took over.
  mutating func takeChunks() -> ArraySlice<Data> {
    defer {
      chunks = []
      taken = 0
      buffered = 0
    }
    return chunks[taken...]
  }

  /// Gives back what a sink did not take.
  mutating func restore(_ undrained: ArraySlice<Data>) {
    guard !undrained.isEmpty, !isCancelled else { return }
    chunks = Array(undrained) + chunks[taken...]
    taken = 0
    buffered = chunks.reduce(0) { $0 + $1.count }
  }

  mutating func end(_ error: (any Error)?, trailers: HTTPFields) {
    guard !hasEnded else { return }
    hasEnded = true
    sink = nil
    self.error = error
    if error == nil, !trailers.isEmpty { self.trailers = trailers }
  }

  mutating func discard() {
    chunks = []
    taken = 0
    buffered = 0
    sink = nil
  }
}
