import FoundationEssentials
import HTTPTypes

/// Observes the bytes of a body while they are read, without changing them.
///
/// A tap measures, hashes or stores the bytes, or acts at the end. Add one with `ResponseBody.tapped(by:)`; taps are called in
/// the order in which they were added. `receive` and `ended` are called by one task or thread at a time. `cancelled` may be
/// called at any time, from any isolation, concurrently with the others and more than once.
///
/// ```swift
/// import Synchronization
///
/// final class ByteCount: BodyTap {
///   private let count = Mutex(0)
///   func receive(_ bytes: UnsafeRawBufferPointer) { count.withLock { $0 += bytes.count } }
/// }
/// let counted = response.body.tapped(by: ByteCount())
/// ```
/// All methods have default implementations that do nothing.
public protocol BodyTap: AnyObject, Sendable {
  /// Observes bytes on their way to the reader.
  ///
  /// The bytes are valid only during the call, which may be on the transport's own thread.
  func receive(_ bytes: UnsafeRawBufferPointer)

  /// Observes the end of the body, before the reader learns of it.
  ///
  /// - Parameter error: The error that ended the body; nil when the body is complete.
  /// - Throws: An error for the reader, even if the body is complete. A tap cannot turn a failure into a success.
  func ended(by error: (any Error)?) async throws

  /// Observes that the reader cancelled, or released the body before its end.
  func cancelled()

  /// Discards what the tap stored, because the bytes turned out to be wrong.
  ///
  /// It may be called after the end.
  func rejected() async
}

extension BodyTap {
  /// Ignores the bytes.
  public func receive(_ bytes: UnsafeRawBufferPointer) {}

  /// Leaves the end as it is.
  public func ended(by error: (any Error)?) async throws {}

  /// Does nothing.
  public func cancelled() {}

  /// Does nothing.
  public func rejected() async {}
}

/// A source or a channel, with the taps that observe its bytes.
struct TappedSource {
  /// The origin of the bytes.
  enum Origin {
    case channel(BodyChannel)
    case source(any ResponseBodySource)
  }

  let origin: Origin
  /// The taps, in the order in which they observe the bytes.
  var taps: [any BodyTap] = []

  var trailers: HTTPFields? {
    switch origin {
    case .channel(let channel): channel.trailers
    case .source(let source): source.trailers
    }
  }

  /// Returns the next chunk, which is never empty; nil at the end.
  nonisolated(nonsending) func next() async throws -> Data? {
    if taps.isEmpty { return try await nextChunk() }
    let chunk: Data?
    do {
      chunk = try await nextChunk()
    } catch {
      try await end(by: error)
      return nil
    }
    guard let chunk else {
      try await end(by: nil)
      return nil
    }
    chunk.withUnsafeBytes { bytes in for tap in taps { tap.receive(bytes) } }
    return chunk
  }

  nonisolated(nonsending) private func nextChunk() async throws -> Data? {
    // A task that was cancelled gets nothing more, even if bytes have arrived already.
    if Task.isCancelled { stop() }
    switch origin {
    case .channel(let channel): return try await channel.next()
    case .source(let source):
      try Task.checkCancellation()
      while let chunk = try await source.next() {
        if !chunk.isEmpty { return chunk }
      }
      return nil
    }
  }

  nonisolated(nonsending) func drain(into sink: any BodySink) async throws {
    if taps.isEmpty {
      if case .channel(let channel) = origin { return try await channel.drain(into: sink) }
      return try await hand(to: sink)
    }
    do {
      try await hand(to: TappedSink(sink, taps))
    } catch {
      return try await end(by: error)
    }
    try await end(by: nil)
  }

  nonisolated(nonsending) private func hand(to sink: any BodySink) async throws {
    switch origin {
    case .channel(let channel): try await channel.drain(into: sink)
    case .source(let source):
      do {
        while let chunk = try await nextChunk() {
          if try sink.receive(chunk: chunk) == .pause { try await sink.ready() }
        }
      } catch {
        source.cancel()
        throw error
      }
    }
  }

  /// Informs the taps of the end, and throws the remaining error.
  nonisolated(nonsending) private func end(by error: (any Error)?) async throws {
    var error = error
    for tap in taps {
      do { try await tap.ended(by: error) } catch let replacement { error = replacement }
    }
    if let error { throw error }
  }

  /// Cancels the rest, and informs the taps.
  func cancel() {
    stop()
    for tap in taps { tap.cancelled() }
  }

  /// Cancels the rest without informing the taps, for a reader that got the end.
  func stop() {
    switch origin {
    case .channel(let channel): channel.cancel()
    case .source(let source): source.cancel()
    }
  }

  func reject() async {
    switch origin {
    case .channel(let channel): channel.cancel()
    case .source(let source): await source.reject()
    }
    for tap in taps { await tap.rejected() }
  }
}

/// A sink that shows its bytes to taps before it passes them on.
private final class TappedSink: BodySink {
  private let sink: any BodySink
  private let taps: [any BodyTap]

  init(_ sink: any BodySink, _ taps: [any BodyTap]) {
    self.sink = sink
    self.taps = taps
  }

  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
    for tap in taps { tap.receive(bytes) }
    return try sink.receive(bytes)
  }

  func receive(chunk: Data) throws -> SinkDemand {
    chunk.withUnsafeBytes { bytes in for tap in taps { tap.receive(bytes) } }
    return try sink.receive(chunk: chunk)
  }

  func ready() async throws { try await sink.ready() }
}

/// The input of a source that changes the bytes of a body.
final class UpstreamBody: ResponseBodySource {
  private let source: TappedSource

  init(_ source: TappedSource) { self.source = source }

  var trailers: HTTPFields? { source.trailers }

  nonisolated(nonsending) func next() async throws -> Data? { try await source.next() }

  func cancel() { source.cancel() }

  func reject() async { await source.reject() }
}
