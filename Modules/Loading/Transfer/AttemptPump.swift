import CurlewCore
import FoundationEssentials

/// Passes a body to its writer, counts it, and stops while the attempt is paused.
final class AttemptPump: BodySink {
  private let writer: any TransferWriter
  private let handle: AttemptHandle
  private let progress: ProgressBoard
  private let state = Guarded(State())

  private struct State {
    var bytes: Int64 = 0
    var isWriterPaused = false
    var failure: (any Error)?
  }

  init(_ writer: any TransferWriter, _ handle: AttemptHandle, _ progress: ProgressBoard) {
    self.writer = writer
    self.handle = handle
    self.progress = progress
  }

  /// The number of bytes that the writer has taken.
  var bytes: Int64 { state.withLock { $0.bytes } }

  /// The error that the writer threw; nil until it throws.
  var failure: (any Error)? { state.withLock { $0.failure } }

  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
    try pass(bytes.count) { try writer.receive(bytes) }
  }

  func receive(chunk: Data) throws -> SinkDemand {
    try pass(chunk.count) { try writer.receive(chunk: chunk) }
  }

  private func pass(_ count: Int, _ write: () throws -> SinkDemand) throws -> SinkDemand {
    let allowed = try handle.demand()
    let demand: SinkDemand
    do {
      demand = try write()
    } catch {
      throw noted(error)
    }
    state.withLock { state in
      state.bytes += Int64(count)
      state.isWriterPaused = demand == .pause
    }
    progress.add(count)
    return demand == .pause ? .pause : allowed
  }

  func ready() async throws {
    if state.withLock({ $0.isWriterPaused }) {
      do {
        try await writer.ready()
      } catch {
        throw noted(error)
      }
    }
    try await handle.waitWhilePaused()
  }

  /// Records the writer's own error, which other layers may replace.
  private func noted(_ error: any Error) -> any Error {
    state.withLock { $0.failure = error }
    return error
  }
}

/// Counts sent bytes by the transport's events.
final class UploadObserver: EventObserver {
  private let progress: ProgressBoard

  init(_ progress: ProgressBoard) { self.progress = progress }

  /// Returns true: numbers contain no secrets, and redaction would copy each request.
  var wantsSecrets: Bool { true }

  func observe(_ event: ExchangeEvent) {
    guard case .sent(let bytes, let expected) = event.kind else { return }
    progress.send(bytes, total: expected)
  }
}
