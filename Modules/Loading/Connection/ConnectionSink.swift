import CurlewCore

/// Delivers response and body to the delegate, one piece at a time.
struct ConnectionSink: TransferSink {
  let relay: ConnectionRelay

  func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter {
    // Queued upload reports are delivered before the response, and none afterwards.
    try await relay.ask { [relay] connection, delegate in
      relay.respond()
      delegate.connection(connection, didReceive: head)
    }
    return PieceWriter(ReplacingParts(head)) { [relay] piece in
      try await relay.ask { connection, delegate in
        switch piece {
        case .head(let part): delegate.connection(connection, didReceive: part)
        case .data(let data): delegate.connection(connection, didReceive: data)
        }
      }
    }
  }

  /// Returns `.streamed`, because the delegate may take its time.
  var delivery: ResponseDelivery? { .streamed }
}
