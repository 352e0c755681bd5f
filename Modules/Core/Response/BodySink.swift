public import FoundationEssentials

/// Receives bytes synchronously, on the transport's own thread.
///
/// It may write to a file. It must not wait for the disk (`fsync`), for the network, or for a lock that others hold for long,
/// because every other transfer of the transport waits meanwhile. Only one thread calls it at a time.
public protocol BodySink: AnyObject, Sendable {
  /// Receives `bytes`, which are valid only during the call.
  ///
  /// - Returns: `.more`, or `.pause` to receive no bytes until `ready()` has returned.
  /// - Throws: Any error, which ends the transfer; `drain` throws the same error.
  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand

  /// Receives bytes that the sink may keep without copying them.
  ///
  /// It may be called instead of `receive(_:)` for bytes that are already in memory of their own. By default it passes them to
  /// `receive(_:)`.
  ///
  /// - Returns: `.more`, or `.pause` to receive no bytes until `ready()` has returned.
  /// - Throws: Any error, which ends the transfer; `drain` throws the same error.
  func receive(chunk: Data) throws -> SinkDemand

  /// Returns when the sink can receive bytes again.
  ///
  /// It is called once after each `.pause`, and not on the transport's thread.
  func ready() async throws
}

extension BodySink {
  /// Returns at once, for a sink that never pauses.
  public func ready() async throws {}

  /// Passes the bytes to `receive(_:)`.
  public func receive(chunk: Data) throws -> SinkDemand { try chunk.withUnsafeBytes { try receive($0) } }
}

/// The answer of a sink that received bytes.
public enum SinkDemand: Sendable, Hashable {
  /// The sink can receive more bytes.
  case more
  /// The sink took the bytes, and wants no more until `BodySink.ready()` returns.
  case pause
}
