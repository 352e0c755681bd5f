#if AsyncHTTPClient
import AsyncHTTPClient
import CurlewCore
import FoundationEssentials
import NIOCore
import Synchronization

/// The body of one request, which AsyncHTTPClient pulls while the connection takes more.
///
/// It gives out one chunk at a time, waits while the request is paused, and never ends before its announced length.
final class Upload: AsyncSequence, Sendable {
  typealias Element = ByteBuffer
  typealias Failure = any Error

  private struct State {
    var source: Source
    var left: Int64?
    /// The bytes that AsyncHTTPClient has and the kernel has not taken.
    var ahead: Int64 = 0
    /// Whether nobody reports what the kernel takes, so that nothing waits for it.
    var isFree = false
    /// The task that waits for the next chunk, so that it can be cancelled.
    var pull: Task<ByteBuffer?, any Error>?
    var isStopped = false
  }

  /// Where the bytes come from.
  private enum Source {
    case data(Data)
    case file(FileBodyReader)
    case start(Body.Stream)
    case chunks(any BodyChunks)
  }

  private static let chunk = 65_536
  /// The bytes from which the upload waits for the kernel.
  ///
  /// AsyncHTTPClient itself waits too, but only once its event loop has told it to, which can be late.
  private static let mostAhead: Int64 = 524_288
  /// Wakes the upload when the kernel has taken bytes.
  private let demand = Demand()
  private let state: Mutex<State>
  private let pause: PauseSignal?
  /// Called for each chunk before AsyncHTTPClient gets it.
  private let onChunk: @Sendable () -> Void
  private let length: HTTPClientRequest.Body.Length

  /// Creates an upload; nil if there is nothing to send.
  ///
  /// - Throws: `NetworkError` of kind `fileError`, `resourceExhausted` or `bodyLengthMismatch`.
  init?(_ body: Body, pausedBy pause: PauseSignal?, onChunk: @escaping @Sendable () -> Void) throws(NetworkError) {
    guard body.length != 0 else { return nil }
    let source: Source =
      switch body.source {
      case .empty: .data(Data())
      case .bytes(let data): .data(data)
      case .file(let region): .file(try FileBodyReader(region))
      case .stream(let stream): .start(stream)
      }
    state = Mutex(State(source: source, left: body.length))
    length = body.length.map { .known($0) } ?? .unknown
    self.pause = pause
    self.onChunk = onChunk
  }

  /// The body as AsyncHTTPClient takes it.
  var body: HTTPClientRequest.Body { .stream(self, length: length) }

  /// Records that the kernel has taken bytes.
  func took(_ count: Int64) {
    state.withLock { $0.ahead -= count }
    demand.signal()
  }

  /// Lets AsyncHTTPClient finish the upload after the response has ended.
  func runFree() {
    state.withLock { $0.isFree = true }
    demand.signal()
  }

  /// Ends the upload, and cancels the source that is waited for.
  func stop() {
    let pull = state.withLock { state in
      state.isStopped = true
      // What remains is released, even if AsyncHTTPClient asks no more.
      state.source = .data(Data())
      return state.pull
    }
    pull?.cancel()
    demand.end()
  }

  func makeAsyncIterator() -> Iterator { Iterator(upload: self) }

  struct Iterator: AsyncIteratorProtocol {
    let upload: Upload

    mutating func next() async throws -> ByteBuffer? { try await upload.next() }
  }

  /// Returns the next chunk; nil at the end.
  private func next() async throws -> ByteBuffer? {
    while state.withLock({ $0.ahead >= Self.mostAhead && !$0.isFree && !$0.isStopped }) { await demand.wait() }
    // A task of its own, because AsyncHTTPClient cancels none.
    let pull = Task { try await self.produce() }
    let isStopped = state.withLock { state in
      state.pull = pull
      return state.isStopped
    }
    if isStopped { pull.cancel() }
    let buffer = try await pull.value
    if let buffer {
      state.withLock { $0.ahead += Int64(buffer.readableBytes) }
      onChunk()
    }
    return buffer
  }

  private func produce() async throws -> ByteBuffer? {
    while true {
      try await pause?.waitWhilePaused()
      try Task.checkCancellation()
      guard let bytes = try await read() else {
        guard state.withLock({ $0.left ?? 0 }) == 0 else { throw Self.mismatch("shorter") }
        return nil
      }
      guard bytes.readableBytes > 0 else { continue }
      let isTooLong = state.withLock { state in
        guard let left = state.left else { return false }
        state.left = left - Int64(bytes.readableBytes)
        return Int64(bytes.readableBytes) > left
      }
      guard !isTooLong else { throw Self.mismatch("longer") }
      return bytes
    }
  }

  /// Returns the source's next bytes, which may be none; nil at the end.
  private func read() async throws -> ByteBuffer? {
    switch state.withLock({ $0.source }) {
    case .data(let data):
      guard !data.isEmpty else { return nil }
      state.withLock { $0.source = .data(data.dropFirst(Self.chunk)) }
      return ByteBuffer(bytes: data.prefix(Self.chunk))
    case .file(let file):
      guard file.left > 0 else { return nil }
      var buffer = ByteBuffer()
      try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: Int(Swift.min(Int64(Self.chunk), file.left))) {
        try file.read(into: $0)
      }
      return buffer
    case .start(let stream):
      let chunks = try await Self.sourced { try await stream.make() }
      state.withLock { if !$0.isStopped { $0.source = .chunks(chunks) } }
      return try await Self.sourced { try await chunks.next() }.map { ByteBuffer(bytes: $0) }
    case .chunks(let chunks):
      return try await Self.sourced { try await chunks.next() }.map { ByteBuffer(bytes: $0) }
    }
  }

  /// Runs the app's source, and wraps its error.
  private static func sourced<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch let error as NetworkError {
      throw error
    } catch {
      if Task.isCancelled { throw CancellationError() }
      throw NetworkError(
        .bodySourceFailed, stage: .sending, message: "The source of the request's body failed.", underlying: error)
    }
  }

  private static func mismatch(_ word: String) -> NetworkError {
    NetworkError(
      .bodyLengthMismatch, stage: .sending, message: "The source of the request's body was \(word) than announced.")
  }
}
#endif
