import CurlewCore
import CurlewLoading
import FoundationEssentials
import HTTPTypes

/// Stores each piece of a body, calls a hook with it, and then lets the transport continue.
final class TaskWriter: TransferWriter {
  private struct Piece {
    var data = Data()
    var isInnerPaused = false
  }

  private let inner: any TransferWriter
  private let link: TaskLink
  private let tell: @Sendable (SessionTask, Data) async throws -> Void
  private let piece = Guarded(Piece())

  init(
    _ inner: any TransferWriter, _ link: TaskLink,
    _ tell: @escaping @Sendable (SessionTask, Data) async throws -> Void
  ) {
    self.inner = inner
    self.link = link
    self.tell = tell
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
    if !taken.data.isEmpty {
      guard let task = link.task else { throw CancellationError() }
      try await tell(task, taken.data)
    }
    if taken.isInnerPaused { try await inner.ready() }
  }

  func receive(trailers: HTTPFields) { inner.receive(trailers: trailers) }
  func finish() async throws -> TransferContent { try await inner.finish() }
  func abandon() async { await inner.abandon() }
}
