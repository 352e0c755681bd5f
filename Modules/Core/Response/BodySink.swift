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
