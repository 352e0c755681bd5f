import CurlewCore
import CurlewLoading

/// The outcome of a download, for all callers that wait for it.
final class DownloadEnding: Sendable {
  private struct State {
    var keepsPartial = true
    var outcome: TransferOutcome<DownloadResult>?
    var handle: ResumeHandle?
    var handlers: [@Sendable (TransferOutcome<DownloadResult>) -> Void] = []
  }

  private let state = Guarded(State())

  var keepsPartial: Bool { state.withLock { $0.keepsPartial } }

  /// Records that the bytes were removed.
  func forgetHandle() { state.withLock { $0.handle = nil } }

  func dropPartial() { state.withLock { $0.keepsPartial = false } }

  /// How to resume after the end; nil if nothing is kept.
  var handle: ResumeHandle? { state.withLock { $0.handle } }

  func tell(_ outcome: TransferOutcome<DownloadResult>, _ handle: ResumeHandle?) {
    let handlers = state.withLock { state in
      state.outcome = outcome
      state.handle = handle
      defer { state.handlers = [] }
      return state.handlers
    }
    for handler in handlers { handler(outcome) }
  }

  func onFinish(_ handler: @escaping @Sendable (TransferOutcome<DownloadResult>) -> Void) {
    let outcome = state.withLock { state in
      if state.outcome == nil { state.handlers.append(handler) }
      return state.outcome
    }
    if let outcome { handler(outcome) }
  }

  func outcome() async -> TransferOutcome<DownloadResult> {
    await withCheckedContinuation { continuation in onFinish { continuation.resume(returning: $0) } }
  }
}
