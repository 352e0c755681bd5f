public import CurlewCore
public import CurlewDownload
public import CurlewLoading

/// A task whose response becomes a file, which is complete and correct or does not exist.
///
/// It is a sequence of its progress, at most ten snapshots per second, and `value` is the file. Reading either of them starts it:
///
/// ```swift
/// let download = session.download("atlas.zip", to: "atlas.zip")
/// for try await progress in download { print(progress.fraction ?? 0) }
/// print(try await download.value.path)
/// ```
///
/// A suspended download releases its connection after a while and requests the rest after `resume`. A cancelled or failed one keeps
/// its bytes: another download to the same target resumes with them, and `resumeData` describes them for another process.
public final class DownloadTask: SessionTask, AsyncSequence, @unchecked Sendable {
  // Safe because its one property is constant.

  /// A snapshot of the progress.
  public typealias Element = TransferProgress

  /// The location of the file.
  public let target: DownloadTarget

  init(_ core: TaskCore, _ target: DownloadTarget) {
    self.target = target
    super.init(core)
  }

  /// The outcome; nil before the end.
  public var outcome: TransferOutcome<DownloadResult>? { core.state.withLock { $0.outcome }.map(Self.typed) }

  /// The file; starts the download if it was never resumed, and waits.
  ///
  /// Cancelling the waiting task cancels a download that only readers have started, which keeps its bytes; for one that was resumed
  /// it only ends the wait. A suspended download waits for its `resume`.
  ///
  /// - Throws: The error of the task; `CancellationError` when it or the waiting task was cancelled.
  public var value: DownloadResult {
    get async throws {
      defer { extendLifetime(self) }
      return try Self.typed(try await core.read()).get()
    }
  }

  /// Starts the download if it was never resumed, and reads its progress; throws its error.
  public func makeAsyncIterator() -> ProgressIterator { ProgressIterator(self, core.boards.downloadProgress) }

  /// Calls a handler once with the outcome, even if the task has ended.
  public func onFinish(
    on executor: CallbackExecutor, _ handler: @escaping @Sendable (TransferOutcome<DownloadResult>) -> Void
  ) {
    core.onEnd(on: executor) { outcome in handler(Self.typed(outcome)) }
  }

  /// The current state of the file; that of a download that has not begun before the first `resume`.
  public var download: DownloadState { core.file?.state ?? DownloadState() }

  /// Cancels the task, and returns how to resume it when its bytes are stored.
  ///
  /// - Returns: Nil if the task has succeeded, or if no bytes can be resumed: none have arrived, or their response had no strong
  ///   validator.
  public func cancelByProducingResumeData() async -> DownloadResumeData? {
    cancel()
    _ = try? await core.ended(leavesWhenCancelled: false)
    return resumeData
  }

  /// How to resume the download after its end; nil before it, and if no bytes can be resumed.
  ///
  /// It is there after a failure and after any cancellation.
  public var resumeData: DownloadResumeData? {
    let (transfer, request) = core.state.withLock { ($0.transfer, $0.latestRequest) }
    guard let handle = transfer?.resumption as? ResumeHandle, let request else { return nil }
    // A request that no download can resume has no resume data.
    return try? DownloadResumeData(request, handle.state, identifier: target.partialKey(for: request.url)?.identifier)
  }

  /// Cancels the task if it has not ended, and removes its stored bytes.
  ///
  /// A complete file is not removed, nor are bytes that another download has meanwhile resumed.
  public func discard() async {
    cancel()
    _ = try? await core.ended(leavesWhenCancelled: false)
    guard let transfer = core.transfer else {
      await PartialSink(target, on: core.session.disk).close(keeping: false)
      return
    }
    await transfer.discard(core.file)
  }

  private static func typed(_ outcome: TransferOutcome<TaskProduct>) -> TransferOutcome<DownloadResult> {
    switch outcome {
    case .success(.file(let result)): .success(result)
    case .success: .failure(NetworkError.lostProduct)
    case .failure(let error): .failure(error)
    case .cancelled: .cancelled
    }
  }
}
