import CurlewCore
import CurlewLoading
import Foundation
import HTTPTypes

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
    return tellsPieces ? StepWriter(writer, ReplacingParts(head), link, steps) : writer
  }

  /// Streamed if steps receive the body, because a step may take its time.
  var delivery: ResponseDelivery? { tellsPieces ? .streamed : inner.delivery }
}

/// Stores each piece, calls the step for it, and then lets the transport continue.
///
/// The inner sink stores the body as it was sent, even if the steps receive its parts separately.
private final class StepWriter: TransferWriter {
  private struct Piece {
    var data = Data()
    var isInnerPaused = false
  }

  private let inner: any TransferWriter
  private let link: OperationLink
  private let steps: OperationSteps
  private let piece = Guarded(Piece())
  /// Separates the parts of a body for the steps; nil for a body without parts.
  private let parts: Guarded<ReplacingParts?>
  private let hasParts: Bool

  init(_ inner: any TransferWriter, _ parts: ReplacingParts?, _ link: OperationLink, _ steps: OperationSteps) {
    self.inner = inner
    self.parts = Guarded(parts)
    hasParts = parts != nil
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
    if !taken.data.isEmpty { try await tell(taken.data) }
    if taken.isInnerPaused { try await inner.ready() }
  }

  func receive(trailers: HTTPFields) { inner.receive(trailers: trailers) }

  func finish() async throws -> TransferContent {
    if hasParts {
      parts.withLock { $0?.end() }
      try await tellParts()
    }
    return try await inner.finish()
  }

  func abandon() async { await inner.abandon() }

  private func tell(_ data: Data) async throws {
    guard hasParts else { return try await steps.ask(link) { $0.didReceive(data) } }
    parts.withLock { $0?.feed(data) }
    try await tellParts()
  }

  private func tellParts() async throws {
    while let piece = try parts.withLock({ try $0?.next() }) {
      try await steps.ask(link) { operation in
        switch piece {
        case .head(let part): operation.didReceive(part)
        case .data(let data): operation.didReceive(data)
        }
      }
    }
  }
}
