public import CurlewCore

/// Where the body of a transfer goes.
///
/// Asked once in each attempt, after the head was accepted and before its first byte: a sink that can go on where the
/// last attempt stopped answers with a writer at an offset, any other starts anew. Called by the attempt's task, never
/// twice at once; the attempt before is over by then.
public protocol TransferSink: Sendable {
  /// Begins to take a body.
  ///
  /// - Throws: `NetworkError`, or an error of its own; the attempt fails with it.
  func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter
  /// How fast it takes the body, for a request that does not say; nil says nothing.
  var delivery: ResponseDelivery? { get }
}

extension TransferSink {
  /// Says nothing.
  public var delivery: ResponseDelivery? { nil }
}

/// Takes the body of one attempt.
///
/// After the last byte exactly one of `finish` and `abandon` is called, by the attempt's task.
public protocol TransferWriter: BodySink {
  /// Where its first byte stands in the whole, 0….
  var offset: Int64 { get }
  /// The length of the whole; nil takes the announced one.
  var total: Int64? { get }
  /// All bytes are there.
  func finish() async throws -> TransferContent
  /// The attempt ended early; what was taken is worth what the sink makes of it.
  func abandon() async
}

extension TransferWriter {
  /// At the beginning.
  public var offset: Int64 { 0 }
  /// As announced.
  public var total: Int64? { nil }
  /// Leaves everything as it is.
  public func abandon() async {}
}
