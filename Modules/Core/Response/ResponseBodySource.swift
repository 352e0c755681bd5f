public import FoundationEssentials
public import HTTPTypes

/// Where the bytes of a `ResponseBody` come from.
///
/// A transport implements it over a connection; an interceptor wraps one in another to look at the bytes, to change them
/// or to act at their end. `next` and `drain` are called by one task at a time and never again after the end or an
/// error; the end may suspend. `cancel` may be called at any time, from any isolation, more than once.
public protocol ResponseBodySource: AnyObject, Sendable {
  /// The next bytes; nil at the end.
  ///
  /// - Throws: `NetworkError`, or `CancellationError` once cancelled.
  nonisolated(nonsending) func next() async throws -> Data?

  /// Hands all remaining bytes to `sink` and returns at the end.
  func drain(into sink: any BodySink) async throws

  /// Gives up the rest and releases what carries it; `next` throws from then on, since to return nil would make what was
  /// read so far look like all of it.
  func cancel()

  /// Says that the bytes are not what they should be; gives up the rest, and whoever keeps a copy forgets it.
  ///
  /// Called, also after the end, by a wrapper that understands the bytes: content that is complete on the wire may be cut
  /// inside its coding, and must not come from a cache the next time. A source that wraps another hands it on.
  func reject() async

  /// The trailer fields, once the end was reached.
  var trailers: HTTPFields? { get }
}

extension ResponseBodySource {
  /// Gives up the rest, for a source that keeps no copy.
  public func reject() async { cancel() }

  /// Walks `next` and gives the rest up when the sink throws; a transport with a thread of its own does better.
  public func drain(into sink: any BodySink) async throws {
    do {
      while let chunk = try await next() {
        let demand = try chunk.withUnsafeBytes { bytes in try sink.receive(bytes) }
        if demand == .pause { try await sink.ready() }
      }
    } catch {
      cancel()
      throw error
    }
  }
}

/// Takes bytes synchronously, on the transport's own thread.
///
/// It may write to a file; it must not wait for the disk (`fsync`), for a lock that others hold for long, or for the
/// network: every other transfer of the transport waits as long. One thread calls at a time.
public protocol BodySink: AnyObject, Sendable {
  /// Takes all of `bytes`, which are valid during the call only.
  ///
  /// - Returns: `.more`, or `.pause` to get no more bytes until `ready()` has returned.
  /// - Throws: To end the transfer; `drain` throws the same error.
  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand

  /// Returns when the sink can take bytes again. Called once after each `.pause`, off the transport's thread.
  func ready() async throws
}

extension BodySink {
  /// Ready at once, for a sink that never pauses.
  public func ready() async throws {}
}

/// A sink's answer to bytes.
public enum SinkDemand: Sendable, Hashable {
  /// Go on.
  case more
  /// The bytes are taken; no more until `BodySink.ready()` returns.
  case pause
}

/// Bytes that are there already.
final class BufferedBodySource: ResponseBodySource {
  private enum State {
    case waiting(Data)
    case taken
    case cancelled
  }

  private let state: Guarded<State>
  let trailers: HTTPFields?

  init(_ bytes: Data, trailers: HTTPFields?) {
    state = Guarded(.waiting(bytes))
    self.trailers = trailers
  }

  func next() async throws -> Data? {
    try state.withLock { state in
      switch state {
      case .waiting(let bytes):
        state = .taken
        return bytes
      case .taken: return nil
      case .cancelled: throw CancellationError()
      }
    }
  }

  func cancel() { state.withLock { $0 = .cancelled } }
}
