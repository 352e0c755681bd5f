import CurlewCore
import CurlewDownload
import CurlewLoading

/// Performs an operation with a `Downloader`.
final class DownloadEngine: OperationEngine {
  let downloader: Downloader

  init(_ downloader: Downloader) { self.downloader = downloader }

  func start() -> Bool { downloader.start() }
  func pause() -> Bool { downloader.pause() }
  func resume() -> Bool { downloader.resume() }
  func stop() { downloader.cancel() }

  func onEnd(_ tell: @escaping @Sendable (TransferOutcome<OperationResult>) -> Void) {
    downloader.onFinish(on: CallbackExecutor { $0() }) { outcome in
      switch outcome {
      case .success(let result):
        tell(.success(OperationResult(head: result.head, content: .file(path: result.path), value: result)))
      case .failure(let error): tell(.failure(error))
      case .cancelled: tell(.cancelled)
      }
    }
  }

  func halted() async { await downloader.halted() }
  func settled() async { await downloader.settled() }

  var request: Request? { downloader.attempts.last?.request }
  var response: ResponseHead? { downloader.response }
  var attempts: [TransferAttempt] { downloader.attempts }
  var metrics: [ExchangeMetrics] { downloader.metrics }
  var received: TransferProgressSequence { downloader.progress }
  var sent: TransferProgressSequence? { nil }
}
