import CurlewCore
import CurlewDownload
import CurlewLoading

/// Performs a data or upload task, also after its response has become a download.
final class TransferTaskEngine: TaskEngine {
  private let transfer: Transfer<TaskProduct>
  private let sink: TaskSink
  private let state = Guarded(State())

  private struct State {
    /// Releases the file of a download.
    var closing: Task<ResumeHandle?, Never>?
    var resumption: ResumeHandle?
  }

  init(_ transfer: Transfer<TaskProduct>, _ sink: TaskSink) {
    self.transfer = transfer
    self.sink = sink
  }

  func start() -> Bool { transfer.start() }
  func pause() -> Bool { transfer.pause() }
  func resume() -> Bool { transfer.resume() }
  func stop() { transfer.cancel() }
  func set(_ userInfo: UserInfo) { transfer.replaceUserInfo(userInfo) }

  func onEnd(_ tell: @escaping @Sendable (TransferOutcome<TaskProduct>) -> Void) {
    transfer.onEnd { [self] outcome in
      guard let file = sink.file else { return tell(outcome) }
      let closing = close(file)
      // Release the file before delivering the outcome, so that it can be resumed at once.
      Task { tell(outcome.with(await closing.value)) }
    }
  }

  /// Releases the file, once.
  private func close(_ file: PartialSink) -> Task<ResumeHandle?, Never> {
    state.withLock { state in
      if let closing = state.closing { return closing }
      let closing = Task {
        let handle = await file.close(keeping: true)
        self.state.withLock { $0.resumption = handle }
        return handle
      }
      state.closing = closing
      return closing
    }
  }

  func halted() async { await transfer.halted() }
  func settled() async { await transfer.settled() }

  var response: ResponseHead? { transfer.response }
  var attempts: [TransferAttempt] { transfer.attempts }
  var attemptCount: Int { transfer.attemptCount }
  var totalTime: Duration { transfer.totalTime }
  var metrics: [ExchangeMetrics] { transfer.metrics }

  var download: DownloadState? { sink.file?.state }
  var resumption: ResumeHandle? { state.withLock { $0.resumption } }
  func discard() async {
    await sink.file?.close(keeping: false)
    state.withLock { $0.resumption = nil }
  }
}
