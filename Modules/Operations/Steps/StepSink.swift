import CurlewCore
import CurlewLoading
import Foundation
import HTTPTypes

/// Tells an operation's steps of the response and of each piece of its body, and keeps the body in another sink.
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
    return tellsPieces ? StepWriter(writer, link, steps) : writer
  }

  /// A step takes its time.
  var delivery: ResponseDelivery? { tellsPieces ? .streamed : inner.delivery }
}

/// Keeps each piece, tells of it, and lets the transport go on afterwards.
private final class StepWriter: TransferWriter {
  private struct Piece {
    var data = Data()
    var isInnerPaused = false
  }

  private let inner: any TransferWriter
  private let link: OperationLink
  private let steps: OperationSteps
  private let piece = Guarded(Piece())

  init(_ inner: any TransferWriter, _ link: OperationLink, _ steps: OperationSteps) {
    self.inner = inner
    self.link = link
    self.steps = steps
  }

  var wantsBody: Bool { inner.wantsBody }
  var offset: Int64 { inner.offset }
  var total: Int64? { inner.total }

  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
    let demand = try inner.receive(bytes)
    guard !bytes.isEmpty else { return demand }
    let data = Data(bytes)
    piece.withLock { piece in
      piece.data = data
      piece.isInnerPaused = demand == .pause
    }
    return .pause
  }

  func ready() async throws {
    let taken = piece.withLock { piece in
      defer { piece = Piece() }
      return piece
    }
    if !taken.data.isEmpty { try await steps.ask(link) { $0.didReceive(taken.data) } }
    if taken.isInnerPaused { try await inner.ready() }
  }

  func receive(trailers: HTTPFields) { inner.receive(trailers: trailers) }
  func finish() async throws -> TransferContent { try await inner.finish() }
  func abandon() async { await inner.abandon() }
}
