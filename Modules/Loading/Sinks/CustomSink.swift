public import CurlewCore

/// Hands a body to a sink of the app's own.
public struct CustomSink: TransferSink {
  private let make: @Sendable (ResponseHead, AttemptContext) async throws -> any BodySink

  /// Asks for a sink in each attempt.
  public init(_ make: @escaping @Sendable (ResponseHead, AttemptContext) async throws -> any BodySink) {
    self.make = make
  }

  /// Gets the sink for an attempt.
  public func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter {
    Writer(try await make(head, attempt))
  }

  private final class Writer: TransferWriter {
    private let sink: any BodySink

    init(_ sink: any BodySink) { self.sink = sink }

    func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand { try sink.receive(bytes) }
    func ready() async throws { try await sink.ready() }
    func finish() async throws -> TransferContent { .taken }
  }
}

extension TransferSink where Self == CustomSink {
  /// Hands the body of each attempt to a sink made for it.
  public static func custom(
    _ make: @escaping @Sendable (ResponseHead, AttemptContext) async throws -> any BodySink
  ) -> CustomSink {
    CustomSink(make)
  }
}
