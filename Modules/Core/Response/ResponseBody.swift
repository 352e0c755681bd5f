public import FoundationEssentials
public import HTTPTypes

/// The content of a response: a single-pass sequence of chunks, with backpressure down to the socket.
///
/// Bytes stay in the socket until they are asked for. Dropping a body before its end cancels the transfer, as does
/// `cancel()`. A second pass throws `NetworkError` of kind `bodyAlreadyRead`.
///
/// ```swift
/// for try await chunk in response.body { try file.write(chunk) }
/// let all = try await response.body.collect(upTo: 1 << 20)
/// ```
public final class ResponseBody: AsyncSequence, Sendable {
  /// Bytes, never none.
  public typealias Element = Data
  /// `NetworkError` or `CancellationError`.
  public typealias Failure = any Error

  private let source: TappedSource
  private let progress: Guarded<Reading>

  private enum Reading {
    case untouched
    case begun
    /// The reader was given the end.
    case ended
    /// The reader was given an error.
    case failed
    /// Another body took the source over.
    case moved
  }

  private init(_ source: TappedSource) {
    self.source = source
    progress = Guarded(.untouched)
  }

  /// Creates the body of a transport, which reads from a channel.
  public convenience init(_ channel: BodyChannel) { self.init(TappedSource(origin: .channel(channel))) }

  /// Creates a body that pulls its bytes from a source.
  public convenience init(_ source: any ResponseBodySource) { self.init(TappedSource(origin: .source(source))) }

  /// Creates a body of bytes that are there already.
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

  /// The trailer fields; nil before the end and when there were none (RFC 9110 §6.5).
  public var trailers: HTTPFields? {
    progress.withLock { $0 } == .ended ? source.trailers : nil
  }

  /// Returns a body with the same bytes, at which a tap looks.
  ///
  /// This body must not be read afterwards: the new one takes its source over. To cancel this one gives up what the tap
  /// looks at, which the tap hears of as an error.
  public func tapped(by tap: any BodyTap) -> ResponseBody {
    progress.withLock { $0 = .moved }
    return ResponseBody(TappedSource(origin: source.origin, taps: source.taps + [tap]))
  }

  /// Returns a body with other bytes, which a source makes from those of this body.
  ///
  /// This body must not be read afterwards: `wrap` takes its source over. Whoever only looks at the bytes is a `BodyTap`.
  public func wrapped(_ wrap: (any ResponseBodySource) -> any ResponseBodySource) -> ResponseBody {
    progress.withLock { $0 = .moved }
    if case .source(let origin) = source.origin, source.taps.isEmpty { return ResponseBody(wrap(origin)) }
    return ResponseBody(wrap(UpstreamBody(source)))
  }

  /// Ends the transfer; reading goes on with `CancellationError`. Does nothing after the end.
  ///
  /// The end is when the reader was given nil or an error. Before that a cancelled body is never complete, even if its
  /// last byte has come already: what the reader gets does not depend on how fast the network was.
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

  /// Walks a body once.
  public struct Iterator: AsyncIteratorProtocol {
    let body: ResponseBody
    let mayRead: Bool

    /// The next bytes, never empty; nil at the end.
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

  /// All the bytes.
  ///
  /// - Parameters:
  ///   - limit: The most bytes to take, 0…; one more ends the transfer.
  ///   - length: How many the head announced; a body that comes in pieces is then gathered in memory taken once, of at
  ///     most 1 MB before that much has come. Nil takes it as it comes. Nothing is refused for another length.
  /// - Throws: `NetworkError` of kind `bodyTooLarge` past the limit, or what ended the body.
  public func collect(upTo limit: Int, expecting length: Int64? = nil) async throws -> Data {
    try await gather(upTo: limit, expecting: length)
  }

  /// The same on the caller's executor.
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

  /// As much as an announcement is believed before a byte came.
  private static let mostReserved: Int64 = 1 << 20

  private func tooLarge(_ limit: Int) -> NetworkError {
    cancel()
    return NetworkError(.bodyTooLarge, stage: .receivingBody, message: "The body is larger than \(limit) bytes.")
  }

  /// Reads a small rest so that the connection can be used again; ends the transfer when there is more.
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

  /// Hands all the bytes to a synchronous sink, on the transport's own thread where it has one.
  ///
  /// Returns when the sink has taken the last byte. Also when it throws, or is cancelled, it does so only after the last
  /// call of the sink has returned: its file can be closed then.
  ///
  /// - Throws: What the sink threw, or what ended the body; `CancellationError` when the task or the body was cancelled.
  public func drain(into sink: any BodySink) async throws {
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
