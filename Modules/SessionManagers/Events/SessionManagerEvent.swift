public import CurlewCore
public import CurlewSession

/// What a manager reports about its tasks and its session.
///
/// `URLSessionManager.onEvent(on:_:)` delivers events; `Notification.Name` has the notifications that are posted for them. Later
/// versions may add more, so switch with a default.
public enum SessionManagerEvent: Sendable {
  /// A task was resumed; the first time, its request begins.
  case resumed(SessionTask)
  /// A running task was suspended.
  case suspended(SessionTask)
  /// A task has ended, and its completion handler was called.
  case completed(SessionTask, TaskReport)
  /// A downloaded file has its path.
  case fileMoved(DownloadTask, path: String)
  /// A downloaded file could not get its path.
  ///
  /// A file exists there, or the disk refused. The task's completion handler gets the same error.
  case fileMoveFailed(DownloadTask, any Error)
  /// An invalidated session has ended.
  case sessionInvalidated
}

/// The result of a task.
public struct TaskReport: Sendable {
  /// The head of the response; nil if none arrived.
  public var response: ResponseHead?
  /// The decoded value, or a `DownloadResult`; nil after a failure.
  public var value: (any Sendable)?
  /// The error; nil after a success, and a `CancellationError` after a cancellation.
  public var error: (any Error)?
  /// The metrics, one for each attempt and hop that was sent.
  public var metrics: [ExchangeMetrics]
}
