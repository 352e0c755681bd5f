public import CurlewCore
import FoundationEssentials

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
