import CurlewCore
import FoundationEssentials

/// Delivers response and body to the delegate, one piece at a time.
struct ConnectionSink: TransferSink {
  let relay: ConnectionRelay

  func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter {
    // Queued upload reports are delivered before the response, and none afterwards.
    try await relay.ask { [relay] connection, delegate in
      relay.respond()
      delegate.connection(connection, didReceive: head)
    }
    if let parts = ReplacingParts(head) { return PartWriter(relay, parts) }
    return PieceWriter(relay)
  }

  /// Returns `.streamed`, because the delegate may take its time.
  var delivery: ResponseDelivery? { .streamed }
}

/// Delivers the bytes as they arrive, and makes the transport wait for each piece.
private final class PieceWriter: TransferWriter {
  private let relay: ConnectionRelay
  private let piece = Guarded(Data())

  init(_ relay: ConnectionRelay) { self.relay = relay }

  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
    guard !bytes.isEmpty else { return .more }
    let data = Data(bytes)
    piece.withLock { $0 = data }
    return .pause
  }

  func ready() async throws {
    let data = piece.withLock { piece in
      defer { piece = Data() }
      return piece
    }
    try await relay.ask { $1.connection($0, didReceive: data) }
  }

  func finish() async throws -> TransferContent { .taken }
}

/// Delivers the parts of a `multipart/x-mixed-replace`, each with a response.
private final class PartWriter: TransferWriter {
  private let relay: ConnectionRelay
  private let parts: Guarded<ReplacingParts>

  init(_ relay: ConnectionRelay, _ parts: ReplacingParts) {
    self.relay = relay
    self.parts = Guarded(parts)
  }

  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
    let data = Data(bytes)
    parts.withLock { $0.feed(data) }
    return .pause
  }

  func ready() async throws { try await hand() }

  func finish() async throws -> TransferContent {
    parts.withLock { $0.end() }
    try await hand()
    return .taken
  }

  private func hand() async throws {
    while let piece = try parts.withLock({ try $0.next() }) {
      try await relay.ask { connection, delegate in
        switch piece {
        case .head(let part): delegate.connection(connection, didReceive: part)
        case .data(let data): delegate.connection(connection, didReceive: data)
        }
      }
    }
  }
}
