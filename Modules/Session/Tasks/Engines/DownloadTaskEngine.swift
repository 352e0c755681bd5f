import CurlewCore
import CurlewDownload
import CurlewLoading

/// Performs a download task.
final class DownloadTaskEngine: TaskEngine {
  private let downloader: Downloader

  init(_ downloader: Downloader) { self.downloader = downloader }

  func start() -> Bool { downloader.start() }
  func pause() -> Bool { downloader.pause() }
  func resume() -> Bool { downloader.resume() }
  func stop() { downloader.cancel() }
  func set(_ userInfo: UserInfo) { downloader.replaceUserInfo(userInfo) }

  func onEnd(_ tell: @escaping @Sendable (TransferOutcome<TaskProduct>) -> Void) {
    downloader.onFinish(on: CallbackExecutor { $0() }) { outcome in
      switch outcome {
      case .success(let file): tell(.success(.file(file)))
      case .failure(let error): tell(.failure(error))
      case .cancelled: tell(.cancelled)
      }
    }
  }

  func halted() async { await downloader.halted() }
  func settled() async { await downloader.settled() }

  var response: ResponseHead? { downloader.response }
  var attempts: [TransferAttempt] { downloader.attempts }
  var attemptCount: Int { downloader.attemptCount }
  var totalTime: Duration { downloader.totalTime }
  var metrics: [ExchangeMetrics] { downloader.metrics }

  var download: DownloadState? { downloader.state }
  var resumption: ResumeHandle? { downloader.resumption }
  func discard() async { await downloader.discard() }
}
