public import CurlewCore
public import CurlewLoading
import FoundationEssentials

/// One download into a file that ends as exactly the right file or not at all.
///
/// It can be stopped at any instant, by the app, the network, `kill -9` or the plug: another download to the same target goes
/// on with the bytes that are there. It is a shape of `Transfer` and has its states; the bytes are in a `PartialSink`.
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
/// An error of type `NetworkError` has `details.resumption`, a `ResumeHandle`, where bytes are kept. Every method may be called
/// from any isolation at any time. A download that runs goes on when nobody holds it; one that is ready or paused is cancelled.
public final class Downloader: Sendable {
  private let transfer: Transfer<DownloadResult>
  private let sink: PartialSink
  private let ending: DownloadEnding

  /// Makes a download that waits for `start` or `run`.
  ///
  /// - Parameter disk: Where it writes; downloads that share one share its thread and its memory.
  public init(_ loader: Loader, _ configuration: Configuration, on disk: DownloadDisk = DownloadDisk()) {
    sink = PartialSink(configuration.target, options: configuration.file, on: disk)
    transfer = Transfer(loader, configuration.transfer(into: sink))
    ending = DownloadEnding()
    transfer.onFinish(on: CallbackExecutor { $0() }) { [sink, ending] outcome in
      // The lock is given up before the outcome is told, so that the same target can be used at once.
      Task {
        let handle = await sink.close(keeping: ending.keepsPartial)
        ending.tell(outcome.with(handle))
      }
    }
  }

  /// Makes a download of one request into a file that must not exist yet.
  public convenience init(
    _ loader: Loader, _ request: Request, to target: DownloadTarget, on disk: DownloadDisk = DownloadDisk()
  ) {
    self.init(loader, Configuration(request, to: target), on: disk)
  }

  /// Begins; false where it was begun before, or is paused.
  @discardableResult
  public func start() -> Bool { transfer.start() }

  /// Halts it, and lets the connection go where `Configuration.pausing` says so; false where it cannot be paused.
  @discardableResult
  public func pause() -> Bool { transfer.pause() }

  /// Goes on after a pause; false where it was not paused.
  @discardableResult
  public func resume() -> Bool { transfer.resume() }

  /// Ends it at once, from every state; false where it was over already.
  ///
  /// - Parameter keepsPartial: Whether its bytes stay, so that another download to the same target can go on with them.
  @discardableResult
  public func cancel(keepingPartial keepsPartial: Bool = true) -> Bool {
    if !keepsPartial { ending.dropPartial() }
    return transfer.cancel()
  }

  /// Removes the bytes of a download that has ended without success, unless another download goes on with them meanwhile.
  ///
  /// They include what an earlier process has left, also where this download was never begun. The one exception is a download
  /// into a directory without an identifier that was never begun: only its request would tell where the bytes are.
  public func discard() async {
    _ = await ending.outcome()
    await sink.discard()
  }

  /// Starts it where it is ready, and waits for the result; cancelling the task cancels the download and keeps its bytes.
  ///
  /// - Throws: What it failed with; `CancellationError` when it was cancelled.
  public func run() async throws -> DownloadResult {
    try await withTaskCancellationHandler {
      start()
      return try await ending.outcome().get()
    } onCancel: {
      cancel()
    }
  }

  /// How it ended, waiting for it; starts nothing. Its lock is given up then.
  public var outcome: TransferOutcome<DownloadResult> {
    get async { await ending.outcome() }
  }

  /// Calls a handler with the outcome, once; one that is there already is told too.
  public func onFinish(
    on executor: CallbackExecutor, _ handler: @escaping @Sendable (TransferOutcome<DownloadResult>) -> Void
  ) {
    ending.onFinish { outcome in executor.run { handler(outcome) } }
  }

  /// Where it is in its life.
  public var phase: TransferState { transfer.state }

  /// What is there now: it can be stored, and is what another process finds.
  public var state: DownloadState { sink.state }

  /// The bytes of the file, those included that were there before.
  public var progress: TransferProgressSequence { transfer.downloadProgress }

  /// The head of the latest response; nil before.
  public var response: ResponseHead? { transfer.response }

  /// The attempts so far, the oldest first; of more than 100 the newest.
  public var attempts: [TransferAttempt] { transfer.attempts }

  /// How many attempts were begun.
  public var attemptCount: Int { transfer.attemptCount }

  /// The measurements so far, one for each attempt and hop that was sent.
  public var metrics: [ExchangeMetrics] { transfer.metrics }

  /// Returns when it is paused and nothing is written any more, or when it is over.
  public func halted() async { await transfer.halted() }

  /// Returns when it is over and nothing of it runs any more.
  public func settled() async {
    await transfer.settled()
    _ = await ending.outcome()
  }
}

extension TransferOutcome<DownloadResult> {
  /// The outcome with where to go on, where it is a failure that can say so.
  fileprivate func with(_ handle: ResumeHandle?) -> Self {
    guard case .failure(let error as NetworkError) = self, let handle else { return self }
    return .failure(error.with { $0.resumption = handle })
  }
}
