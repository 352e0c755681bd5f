import CurlewCore
import CurlewDownload
import CurlewLoading

/// Performs a session task after its first `resume`: a transfer, or a download.
protocol TaskEngine: AnyObject, Sendable {
  @discardableResult func start() -> Bool
  @discardableResult func pause() -> Bool
  @discardableResult func resume() -> Bool
  /// Cancels the work.
  func stop()
  /// Calls a closure once with the outcome, on any thread.
  func onEnd(_ tell: @escaping @Sendable (TransferOutcome<TaskProduct>) -> Void)
  func halted() async
  func settled() async
  /// Replaces the app's own values.
  func set(_ userInfo: UserInfo)

  var response: ResponseHead? { get }
  var attempts: [TransferAttempt] { get }
  var attemptCount: Int { get }
  var totalTime: Duration { get }
  var metrics: [ExchangeMetrics] { get }

  /// The state of the download; nil if the content is in memory.
  var download: DownloadState? { get }
  /// How another download can resume; nil before the end, and if no bytes are kept.
  var resumption: ResumeHandle? { get }
  /// Removes the bytes of a download that ended without success.
  func discard() async
}
