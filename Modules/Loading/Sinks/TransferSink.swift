public import CurlewCore
import FoundationEssentials
public import HTTPTypes

/// The destination of a transfer's body.
///
/// Each attempt's task calls `prepare` before the request is sent, and `open` after the head was accepted and before the first
/// byte of the body, each once and after the previous attempt has ended. A sink that can continue where the last attempt
/// stopped asks for the rest and returns a writer at an offset; any other sink starts over.
public protocol TransferSink: Sendable {
  /// Returns the request as the sink needs it, such as for the missing bytes only.
  ///
  /// - Throws: Any error; the attempt fails with exactly that error.
  nonisolated(nonsending) func prepare(_ request: Request, _ attempt: AttemptContext) async throws -> Request
  /// Starts to receive a body.
  ///
  /// - Throws: Any error; the attempt fails with exactly that error.
  nonisolated(nonsending) func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter
  /// The delivery for a request that does not set one; nil sets none.
  var delivery: ResponseDelivery? { get }
  /// Releases what the sink holds beyond its attempts, such as the lock of a file; nil for nothing.
  ///
  /// The transfer reads it when it is created, and calls it once, after its end and before the app learns of the outcome. What it
  /// returns says how another transfer can resume, and becomes `Transfer.resumption`.
  var release: (@Sendable () async -> (any ResumableHandle)?)? { get }
}

extension TransferSink {
  /// Returns the request as it is.
  public nonisolated(nonsending) func prepare(
    _ request: Request, _ attempt: AttemptContext
  ) async throws -> Request { request }
  /// Returns nil: nothing outlives an attempt.
  public var release: (@Sendable () async -> (any ResumableHandle)?)? { nil }
  /// Returns nil, which sets no delivery.
  public var delivery: ResponseDelivery? { nil }
}

/// The cause of an error after which another attempt begins at once, which is no retry, if the request may be repeated.
package protocol RestartingCause: Error {}

/// Receives the body of one attempt.
///
/// After the last byte, the attempt's task calls exactly one of `finish` and `abandon`. The attempt fails with exactly
/// the error that a writer throws.
public protocol TransferWriter: BodySink {
  /// Whether it wants the body; called once, before the first byte.
  ///
  /// If false, the body is cancelled unread and `finish` is called at once. This is for a head that tells everything,
  /// such as a 416 for a file that is already complete.
  var wantsBody: Bool { get }
  /// The offset of the first byte in the whole content, 0 or more.
  var offset: Int64 { get }
  /// The length of the whole content; nil means the announced length.
  var total: Int64? { get }
  /// Receives the trailer fields of the body.
  ///
  /// If there are any, it is called after the last byte and before `finish`.
  func receive(trailers: HTTPFields)
  /// Completes the content after the last byte and returns it.
  nonisolated(nonsending) func finish() async throws -> TransferContent
  /// Ends the attempt early; the sink decides what to do with the bytes received.
  func abandon() async
}

extension TransferWriter {
  /// Returns true, because most writers want every body.
  public var wantsBody: Bool { true }
  /// Returns 0: the body begins at the start of the content.
  public var offset: Int64 { 0 }
  /// Returns nil, which means the announced length.
  public var total: Int64? { nil }
  /// Ignores the trailer fields.
  public func receive(trailers: HTTPFields) {}
  /// Does nothing.
  public func abandon() async {}
}

/// Passes a body to the app's own sink.
public struct CustomSink: TransferSink {
  private let make: @Sendable (ResponseHead, AttemptContext) async throws -> any BodySink

  /// Creates a sink that calls `make` in each attempt.
  public init(_ make: @escaping @Sendable (ResponseHead, AttemptContext) async throws -> any BodySink) {
    self.make = make
  }

  /// Creates the app's sink for an attempt.
  public func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter {
    Writer(try await make(head, attempt))
  }

  private final class Writer: TransferWriter {
    private let sink: any BodySink

    init(_ sink: any BodySink) { self.sink = sink }

    func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand { try sink.receive(bytes) }
    func receive(chunk: Data) throws -> SinkDemand { try sink.receive(chunk: chunk) }
    func ready() async throws { try await sink.ready() }
    func finish() async throws -> TransferContent { .taken }
  }
}

extension TransferSink where Self == CustomSink {
  /// Passes the body of each attempt to a sink created for it.
  public static func custom(
    _ make: @escaping @Sendable (ResponseHead, AttemptContext) async throws -> any BodySink
  ) -> CustomSink {
    CustomSink(make)
  }
}
