public import FoundationEssentials

/// A two-way connection: bytes go out and come in, in order.
///
/// Bytes that nobody receives stay in the socket, which slows the peer down; `send` waits while the peer does not read. One task at a time
/// may receive; any number may send. A connection that is released is cancelled, unless it was closed: then what was written is sent first.
public final class DuplexConnection: Sendable {
  private let channel: DuplexChannel
  /// How the connection was made: its addresses, and the time that it took.
  public let metrics: ExchangeMetrics

  /// Creates the app's side of a channel; for transports.
  public init(_ channel: DuplexChannel, metrics: ExchangeMetrics = ExchangeMetrics()) {
    self.channel = channel
    self.metrics = metrics
  }

  deinit { channel.release() }

  /// Returns the next bytes, which are never empty; nil when the peer has sent its last.
  ///
  /// - Throws: `NetworkError` of kind `connectionLost`, or another one of the transport; `CancellationError` when the task or the
  ///   connection was cancelled.
  public nonisolated(nonsending) func receive() async throws -> Data? { try await channel.receive() }

  /// Has closures called for what arrives, on the transport's thread, in the place of tasks that call `receive`; call it once.
  ///
  /// So bytes need not be passed to another thread, and a connection at rest has no task. The closures are called one after another, without
  /// holding a lock, and must return soon: what else the transport transfers waits meanwhile. What arrived before is passed on within this
  /// call, even if the first bytes are answered with `.pause`, and one more piece may follow. The connection holds the closures until the
  /// end.
  ///
  /// - Parameters:
  ///   - received: Takes bytes, which are never empty. It returns `.pause` to get no more before `resume` was called, else `.more`.
  ///   - ended: Learns, once, that no more bytes arrive. Nil says that the peer has sent its last byte; else it gets the error that `receive`
  ///     would throw.
  public func deliver(
    to received: @escaping @Sendable (Data) -> BodyChannel.Demand, ended: @escaping @Sendable ((any Error)?) -> Void
  ) {
    channel.deliver(to: DuplexChannel.Receiver(received: received, ended: ended))
  }

  /// Asks for more after `.pause`.
  public func resume() { channel.resume() }

  /// Sends bytes, and returns when the connection takes more.
  ///
  /// The bytes are taken at once, and cannot be taken back by cancelling the task. What several tasks send is sent in the order of their calls.
  ///
  /// - Throws: The errors of `write` and `writable`.
  public nonisolated(nonsending) func send(_ bytes: Data) async throws {
    try write(bytes)
    try await writable()
  }

  /// Takes bytes to be sent, without waiting.
  ///
  /// They are kept in memory until the peer reads. Await `writable` before more are written.
  ///
  /// - Throws: `NetworkError` of kind `connectionLost` when the connection has ended or was closed, with the transport's error if it failed;
  ///   `CancellationError` when it was cancelled.
  public func write(_ bytes: Data) throws { try channel.write(bytes) }

  /// Waits until few bytes wait to be sent.
  ///
  /// An end that comes after the last byte was sent is no error here: the next `write` throws it.
  ///
  /// - Throws: The errors of `write`, and `CancellationError` when the task was cancelled.
  public nonisolated(nonsending) func writable() async throws { try await channel.writable() }

  /// The bytes that were written and that the kernel has not taken yet.
  public var unsentBytes: Int { channel.unsentBytes }

  /// Ends the connection after what was written has been sent.
  ///
  /// It returns at once. Over TLS the peer is told, if the transport can do so.
  public func close() { channel.close() }

  /// Ends the connection at once; what was not sent is dropped.
  public func cancel() { channel.cancel() }
}
