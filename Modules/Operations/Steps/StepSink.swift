import CurlewCore
import CurlewLoading

/// Calls an operation's steps for the response and each piece of its body.
///
/// The body is stored in another sink.
struct StepSink: TransferSink {
  let inner: any TransferSink
  let link: OperationLink
  let steps: OperationSteps
  /// Whether each piece of the body waits for its step.
  let tellsPieces: Bool

  func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter {
    try await steps.ask(link) { [steps] operation in
      steps.respond()
      operation.didReceive(head)
    }
    let writer = try await inner.open(head, attempt)
    guard tellsPieces else { return writer }
    return PieceWriter(to: writer, ReplacingParts(head)) { [link, steps] piece in
      try await steps.ask(link) { operation in
        switch piece {
        case .head(let part): operation.didReceive(part)
        case .data(let data): operation.didReceive(data)
        }
      }
    }
  }

  /// Streamed if steps receive the body, because a step may take its time.
  var delivery: ResponseDelivery? { tellsPieces ? .streamed : inner.delivery }
}
