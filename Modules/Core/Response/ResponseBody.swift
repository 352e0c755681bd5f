public import FoundationEssentials
public import HTTPTypes

/// The content of a response: an asynchronous sequence of chunks, read once.
///
/// Bytes stay in the socket until they are read, which slows the sender down (backpressure). `cancel()` cancels the transfer,
/// and so does releasing the body before its end. A second pass throws `NetworkError` of kind `bodyAlreadyRead`.
///
/// ```swift
/// for try await chunk in response.body { try file.write(chunk) }
/// let all = try await response.body.collect(upTo: 1 << 20)
/// ```
public final class ResponseBody: AsyncSequence, Sendable {
  /// A chunk of bytes, never empty.
  public typealias Element = Data
  /// `NetworkError` or `CancellationError`.
  public typealias Failure = any Error

  private let source: TappedSource
  private let progress: Guarded<Reading>

  private enum Reading {
    case untouched
    case begun
    /// The reader received the end.
    case ended
    /// The reader received an error.
    case failed
    /// Another body has taken over the source.
    case moved
  }

  private init(_ source: TappedSource) {
    self.source = source
    progress = Guarded(.untouched)
  }

  /// Creates a body that reads from a transport's channel.
  public convenience init(_ channel: BodyChannel) { self.init(TappedSource(origin: .channel(channel))) }

  /// Creates a body that pulls its bytes from a source.
  public convenience init(_ source: any ResponseBodySource) { self.init(TappedSource(origin: .source(source))) }

  /// Creates a body from bytes in memory.
  public convenience init(_ bytes: Data, trailers: HTTPFields? = nil) {
    self.init(BodyChannel(bytes, trailers: trailers))
  }

  deinit {
    switch progress.withLock({ $0 }) {
    case .untouched, .begun: source.cancel()
    case .failed: source.stop()
    case .ended, .moved: break
    }
  }

  /// The trailer fields; nil before the end, or without trailers (RFC 9110 §6.5).
  public var trailers: HTTPFields? {
    progress.withLock { $0 } == .ended ? source.trailers : nil
  }

  /// Returns a body with the same bytes, which a tap observes.
  ///
  /// Do not read this body afterwards, because the new one takes over its source. If you cancel this body, the tap observes an
  /// error.
  public func tapped(by tap: any BodyTap) -> ResponseBody {
    progress.withLock { $0 = .moved }
    return ResponseBody(TappedSource(origin: source.origin, taps: source.taps + [tap]))
  }

  /// Returns a body with other bytes, which a source derives from those of this body.
  ///
  /// Do not read this body afterwards, because `wrap` takes over its source. To observe bytes without changing them, use a
  /// `BodyTap`.
  public func wrapped(_ wrap: (any ResponseBodySource) -> any ResponseBodySource) -> ResponseBody {
    progress.withLock { $0 = .moved }
    if case .source(let origin) = source.origin, source.taps.isEmpty { return ResponseBody(wrap(origin)) }
    return ResponseBody(wrap(UpstreamBody(source)))
  }

  /// Cancels the transfer; a later read throws `CancellationError`.
  ///
  /// It does nothing after the end, which is when the reader received nil or an error. A body that was cancelled before that
  /// is never complete, even if its last byte has arrived. The outcome therefore does not depend on the speed of the network.
  public func cancel() {
    switch progress.withLock({ $0 }) {
    case .untouched, .begun, .moved: source.cancel()
    case .failed: source.stop()
    case .ended: break
    }
  }

  /// Starts the only pass.
  public func makeAsyncIterator() -> Iterator {
    let first = progress.withLock { reading in
      guard reading == .untouched else { return false }
      reading = .begun
      return true
    }
    return Iterator(body: self, mayRead: first)
  }

  /// An iterator over the chunks of a body.
  public struct Iterator: AsyncIteratorProtocol {
    let body: ResponseBody
    let mayRead: Bool

    /// Returns the next chunk, which is never empty; nil at the end.
    ///
    /// - Throws: `NetworkError`, or `CancellationError` when the task or the body was cancelled.
    public nonisolated(nonsending) mutating func next() async throws -> Data? {
      guard mayRead else { throw NetworkError.bodyAlreadyRead }
      return try await body.nextChunk()
    }
  }

  nonisolated(nonsending) private func nextChunk() async throws -> Data? {
    do {
      if let chunk = try await source.next() { return chunk }
    } catch {
      progress.withLock { $0 = .failed }
      throw error
    }
    progress.withLock { $0 = .ended }
    return nil
  }

  /// Reads all bytes into memory.
  ///
  /// - Parameters:
  ///   - limit: The most bytes to read, 0 or more; one more byte ends the transfer.
  ///   - length: The number of bytes that the head announced. Memory for them, but at most 1 MB, is allocated in advance. It
  ///     is only a hint: a body of another length is accepted.
  /// - Throws: `NetworkError` of kind `bodyTooLarge` beyond the limit, or the error that ended the body.
  public func collect(upTo limit: Int, expecting length: Int64? = nil) async throws -> Data {
    try await gather(upTo: limit, expecting: length)
  }

  /// Reads all bytes into memory, on the caller's executor.
  nonisolated(nonsending) package func gather(upTo limit: Int, expecting length: Int64?) async throws -> Data {
    let announced = Int(Swift.min(Swift.max(0, length ?? 0), Self.mostReserved))
    var iterator = makeAsyncIterator()
    var all = Data()
    while let chunk = try await iterator.next() {
      guard chunk.count <= limit - all.count else { throw tooLarge(limit) }
      if !all.isEmpty {
        all.append(chunk)
      } else if chunk.count >= announced {
        all = chunk
      } else {
        all = Data(capacity: Swift.min(announced, limit))
        all.append(chunk)
      }
    }
    return all
  }

  /// The most memory to allocate for an announced length before any byte arrived.
  private static let mostReserved: Int64 = 1 << 20

  private func tooLarge(_ limit: Int) -> NetworkError {
    cancel()
    return NetworkError(.bodyTooLarge, stage: .receivingBody, message: "The body is larger than \(limit) bytes.")
  }

  /// Reads a short rest of the body so that the connection can be used again.
  ///
  /// If more than the limit is left, it cancels the transfer.
  ///
  /// - Parameter limit: The most bytes to read.
  /// - Returns: Whether the end was reached.
  @discardableResult
  public func discard(upTo limit: Int = 65_536) async -> Bool {
    var left = limit
    do {
      var iterator = makeAsyncIterator()
      while let chunk = try await iterator.next() {
        left -= chunk.count
        if left < 0 {
          cancel()
          return false
        }
      }
      return true
    } catch {
      cancel()
      return false
    }
  }

  /// Passes all bytes to a synchronous sink.
  ///
  /// The sink is called on the transport's own thread if it has one.
  ///
  /// It returns or throws only after the last call of the sink has returned, even when cancelled, so the sink's file can be
  /// closed then.
  ///
  /// - Throws: The sink's error, the error that ended the body, or `CancellationError` when the task or the body was
  ///   cancelled.
  public func drain(into sink: any BodySink) async throws { try await pass(to: sink) }

  /// Passes all bytes to a sink, on the caller's executor.
  nonisolated(nonsending) package func pass(to sink: any BodySink) async throws {
    guard makeAsyncIterator().mayRead else { throw NetworkError.bodyAlreadyRead }
    do {
      try await source.drain(into: sink)
    } catch {
      progress.withLock { $0 = .failed }
      throw error
    }
    progress.withLock { $0 = .ended }
  }
}

/// Produces the bytes of a `ResponseBody` on demand.
///
/// Interceptors use it to read stored content, or to change a body with `ResponseBody.wrapped`. A transport uses a
/// `BodyChannel` instead, and code that only observes bytes uses a `BodyTap`. `next` is called by one task at a time, and not
/// again after the end or an error. `cancel` may be called at any time, from any isolation, more than once.
public protocol ResponseBodySource: AnyObject, Sendable {
  /// Returns the next bytes; nil at the end, for which it may also suspend.
  ///
  /// - Throws: `NetworkError`, or `CancellationError` once cancelled.
  nonisolated(nonsending) func next() async throws -> Data?

  /// Cancels the rest of the body and releases its resources.
  ///
  /// Afterwards `next` throws. If it returned nil, an incomplete body would look complete.
  func cancel()

  /// Rejects the content, because the bytes turned out to be wrong.
  ///
  /// It cancels the rest and lets caches discard their copies. A source calls it, even after the end, when it interprets the
  /// bytes and finds a fault: content that is complete on the wire may be truncated inside its coding, and a cache must not
  /// store it. A source that changes the bytes of another forwards the call.
  func reject() async

  /// The trailer fields, once the end has been reached.
  var trailers: HTTPFields? { get }
}

extension ResponseBodySource {
  /// Cancels the rest of the body, for a source that stores no copy.
  public func reject() async { cancel() }
}
