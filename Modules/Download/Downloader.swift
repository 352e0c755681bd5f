public import CurlewCore
public import CurlewLoading
import FoundationEssentials

/// Downloads a file that ends up either complete and correct, or not at all.
///
/// It can be stopped at any instant, by the app, the network, `kill -9` or a power failure; another download to the same
/// target resumes with the stored bytes. It is a `Transfer` with a `PartialSink` and has the states of a transfer.
///
/// ```swift
/// var configuration = Downloader.Configuration(
///   try Request(.get, "https://example.com/birds.iso"), to: .file("/srv/birds.iso"))
/// configuration.file.verification.expected = ExpectedDigest("sha-256:9f86d081884c7d65…")
/// let download = Downloader(loader, configuration)
/// let drawing = Task { for await progress in download.progress { draw(progress) } }
/// let result = try await download.run()
/// print(result.path, "of which \(result.resumedFrom) bytes were there already")
/// ```
///
/// A `NetworkError` that it throws has a `ResumeHandle` in `details.resumption` if bytes are kept. Every method may be called
/// from any isolation at any time. A running download continues when its last reference is released; one that is ready or
/// paused is cancelled.
public final class Downloader: Sendable {
  private let transfer: Transfer<DownloadResult>
  private let sink: PartialSink
  private let ending: DownloadEnding

  /// Creates a download that waits for `start` or `run`.
  ///
  /// - Parameter disk: The disk to write to; downloads that share it share its thread and its memory.
  public init(_ loader: Loader, _ configuration: Configuration, on disk: DownloadDisk = DownloadDisk()) {
    sink = PartialSink(configuration.target, options: configuration.options, on: disk)
    transfer = Transfer(loader, configuration.transfer(into: sink))
    ending = DownloadEnding()
    transfer.onFinish(on: CallbackExecutor { $0() }) { [sink, ending] outcome in
      // Release the lock before delivering the outcome, so that the same target can be used at once.
      Task {
        let handle = await sink.close(keeping: ending.keepsPartial)
        ending.tell(outcome.with(handle), handle)
      }
    }
  }

  /// Creates a download of one request into a file that must not exist yet.
  public convenience init(
    _ loader: Loader, _ request: Request, to target: DownloadTarget, on disk: DownloadDisk = DownloadDisk()
  ) {
    self.init(loader, Configuration(request, to: target), on: disk)
  }

  /// Starts the download; returns false if it was started before or is paused.
  @discardableResult
  public func start() -> Bool { transfer.start() }

  /// Pauses the download; returns false if it cannot be paused.
  ///
  /// `Configuration.pausing` determines whether the connection is released.
  @discardableResult
  public func pause() -> Bool { transfer.pause() }

  /// Resumes after a pause; returns false if the download is not paused.
  @discardableResult
  public func resume() -> Bool { transfer.resume() }

  /// Cancels the download in any state; returns false if it had ended.
  ///
  /// - Parameter keepsPartial: Whether the stored bytes are kept, so that another download to the same target can resume.
  @discardableResult
  public func cancel(keepingPartial keepsPartial: Bool = true) -> Bool {
    if !keepsPartial { ending.dropPartial() }
    return transfer.cancel()
  }

  /// Removes the bytes of a download that ended without success.
  ///
  /// Bytes that another download has meanwhile resumed are kept. Bytes that an earlier process has left are removed, even if
  /// this download was never started, with one exception: for a directory without an identifier, only the request determines
  /// where the bytes are.
  public func discard() async {
    _ = await ending.outcome()
    await sink.discard()
    ending.forgetHandle()
  }

  /// Starts the download if it is ready, and waits for the result.
  ///
  /// Cancelling the task cancels the download and keeps its bytes.
  ///
  /// - Throws: The error of the download; `CancellationError` if it was cancelled.
  public func run() async throws -> DownloadResult {
    try await withTaskCancellationHandler {
      start()
      return try await ending.outcome().get()
    } onCancel: {
      cancel()
    }
  }

  /// Waits for the outcome without starting the download.
  ///
  /// The lock on the target is then released.
  public var outcome: TransferOutcome<DownloadResult> {
    get async { await ending.outcome() }
  }

  /// How another download can resume; nil before the end, and if no bytes are kept.
  ///
  /// It is there after a failure and after a cancellation. The error of a failure contains the same handle.
  public var resumption: ResumeHandle? { ending.handle }

  /// Calls a handler once with the outcome, even if the download has ended.
  public func onFinish(
    on executor: CallbackExecutor, _ handler: @escaping @Sendable (TransferOutcome<DownloadResult>) -> Void
  ) {
    ending.onFinish { outcome in executor.run { handler(outcome) } }
  }

  /// The current phase of the download.
  public var phase: TransferState { transfer.state }

  /// The current state, which can be stored; another process finds the same.
  public var state: DownloadState { sink.state }

  /// The progress in bytes of the file, including those stored earlier.
  public var progress: TransferProgressSequence { transfer.downloadProgress }

  /// The head of the latest response; nil before the first one.
  public var response: ResponseHead? { transfer.response }

  /// The attempts so far, oldest first; at most the newest 100.
  public var attempts: [TransferAttempt] { transfer.attempts }

  /// The number of attempts that were begun.
  public var attemptCount: Int { transfer.attemptCount }

  /// The time from the first attempt's start to the end, or until now.
  ///
  /// Delays and pauses count. Zero before the first attempt.
  public var totalTime: Duration { transfer.totalTime }

  /// Replaces the app's own values; later attempts find them in their exchange.
  package func replaceUserInfo(_ userInfo: UserInfo) { transfer.replaceUserInfo(userInfo) }

  /// The measurements so far, one for each attempt and hop that was sent.
  public var metrics: [ExchangeMetrics] { transfer.metrics }

  /// Waits until the download is paused and writes nothing more, or has ended.
  public func halted() async { await transfer.halted() }

  /// Waits until the download has ended and nothing of it is running.
  public func settled() async {
    await transfer.settled()
    _ = await ending.outcome()
  }
}

extension TransferOutcome {
  /// Returns the outcome; a failure includes how to resume, if it can.
  package func with(_ handle: ResumeHandle?) -> Self {
    guard case .failure(let error as NetworkError) = self, let handle else { return self }
    return .failure(error.with { $0.resumption = handle })
  }
}
