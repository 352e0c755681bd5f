import CurlewCore
import FoundationEssentials
import HTTPTypes

/// What the loop and the waiting task share of a flight. Pure.
struct CurlFlightState {
  private(set) var head: ResponseHead?
  private var buffer = BodyBuffer()
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

  /// Bytes that wait for the reader.
  var buffered: Int { buffer.count }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if !isCancelled { buffer.append(bytes) }
  }

  /// What the reader gets: bytes, the end, an error, or nothing yet.
  enum Reading {
    case chunk(Data)
    case end
    case none
  }

  mutating func read() throws -> Reading {
    if isCancelled { throw CancellationError() }
    if let chunk = buffer.popFirst() { return .chunk(chunk) }
    if let error { throw error }
    return hasEnded ? .end : .none
  }

  /// The bytes that came before a sink took over.
  mutating func takeBuffer() -> BodyBuffer {
    defer { buffer = BodyBuffer() }
    return buffer
  }

  /// Gives back what a sink did not take.
  mutating func restore(_ undrained: BodyBuffer) {
    if undrained.count > 0, !isCancelled { buffer.prepend(undrained) }
  }

  mutating func end(_ error: (any Error)?, trailers: HTTPFields) {
    guard !hasEnded else { return }
    hasEnded = true
    sink = nil
    self.error = error
    if error == nil, !trailers.isEmpty { self.trailers = trailers }
  }

  mutating func discard() {
    buffer = BodyBuffer()
    sink = nil
  }
}
