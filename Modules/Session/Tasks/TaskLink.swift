import CurlewCore
import CurlewLoading
import HTTPTypes

/// Leads from the closures of a transfer to the task that it belongs to.
///
/// The reference is weak, because a transfer outlives a suspended task that nobody holds. A running task holds itself. When a
/// data task becomes a download, the link leads to the download from then on.
final class TaskLink: Sendable {
  private struct State {
    weak var core: TaskCore?
  }

  private let state = Guarded(State())

  /// The task; nil if it was released.
  var core: TaskCore? {
    get { state.withLock { $0.core } }
    set { state.withLock { $0.core = newValue } }
  }

  /// The task for the app; nil if it was released.
  var task: SessionTask? { core?.task }
}

extension TaskLink {
  /// Returns the request of an attempt, after the task was told that it begins.
  ///
  /// - Throws: The errors of the hook and of the builder; `CancellationError` if the task was released.
  nonisolated(nonsending) func request(
    of attempt: AttemptContext, _ willBegin: (@Sendable (SessionTask, AttemptContext) async throws -> Void)?,
    _ build: @Sendable (AttemptContext) async throws -> Request
  ) async throws -> Request {
    if let willBegin {
      guard let task else { throw CancellationError() }
      try await willBegin(task, attempt)
    }
    var request = try await build(attempt)
    guard let core else { throw CancellationError() }
    if let priority = core.note(request) { request.options.priority = priority }
    return request
  }

  /// Reports that a response continues a download.
  func report(
    _ head: ResponseHead, to request: Request, _ tell: @Sendable (DownloadTask, Int64, Int64?) -> Void
  ) {
    guard head.status == .partialContent, request.headerFields[.range] != nil,
      let field = head.headerFields[.contentRange], let content = try? ContentRange(field),
      let offset = content.range?.lowerBound, offset > 0, let task = task as? DownloadTask
    else { return }
    tell(task, offset, content.total)
  }
}

extension TaskCore {
  /// Records a request that was built, and returns the priority that the app has set.
  func note(_ request: Request) -> RequestPriority? {
    // Release the old request outside the lock.
    let (priority, _) = state.withLock { state in
      let old = state.latestRequest
      state.originalRequest = state.originalRequest ?? request
      state.latestRequest = request
      return (state.priority, old)
    }
    return priority
  }

  /// Records the request of a redirect.
  func note(redirected request: Request, in attempt: Int) {
    _ = state.withLock { state in
      let old = state.redirected
      state.redirected = (attempt, request)
      return old?.request
    }
  }

  /// Calls the hook of a download while it stores its file.
  func reportWrittenData() {
    guard let tell = hooks.didWriteData else { return }
    boards.downloadProgress.observe(on: CallbackExecutor { $0() }) { [link] progress in
      guard progress.recent > 0, let task = link.task as? DownloadTask else { return }
      tell(task, progress.recent, progress.completed, progress.total)
    }
  }
}
