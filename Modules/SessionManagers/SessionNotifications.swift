public import CurlewCore
import CurlewDownload
public import CurlewSession
public import Foundation

extension Notification.Name {
  /// A task was resumed; the object is the task.
  ///
  /// Managers post notifications only from the main queue, because an observer with its own queue blocks the posting thread.
  public static let sessionTaskDidResume = Notification.Name("com.alamofire.networking.task.resume")
  /// A running task was suspended; the object is the task.
  public static let sessionTaskDidSuspend = Notification.Name("com.alamofire.networking.task.suspend")
  /// A task has ended; the object is the task.
  ///
  /// It is posted after the completion handler. `userInfo` has a `TaskReport` under `TaskReport.userInfoKey`, and its parts
  /// under the keys of AFNetworking.
  public static let sessionTaskDidComplete = Notification.Name("com.alamofire.networking.task.complete")
  /// A session has ended; the object is the manager.
  public static let sessionDidInvalidate = Notification.Name("com.alamofire.networking.session.invalidate")
  /// A downloaded file has its path; the object is the task.
  public static let downloadDidMoveFile = Notification.Name(
    "com.alamofire.networking.session.download.file-manager-succeed")
  /// A downloaded file could not get its path; the object is the task.
  public static let downloadDidFailToMoveFile = Notification.Name(
    "com.alamofire.networking.session.download.file-manager-error")
}

extension TaskReport {
  /// The key of the whole report.
  public static let userInfoKey = "curlew.session.task.report"
  /// The key of the value.
  public static let valueKey = "com.alamofire.networking.task.complete.serializedresponse"
  /// The key of the error.
  public static let errorKey = "com.alamofire.networking.task.complete.error"
  /// The key of a downloaded file's path.
  public static let pathKey = "com.alamofire.networking.task.complete.assetpath"
  /// The key of the metrics.
  public static let metricsKey = "com.alamofire.networking.complete.sessiontaskmetrics"

  var userInfo: [AnyHashable: Any] {
    var info: [AnyHashable: Any] = [Self.userInfoKey: self, Self.metricsKey: metrics]
    if let value { info[Self.valueKey] = value }
    if let error { info[Self.errorKey] = error }
    if let file = value as? DownloadResult { info[Self.pathKey] = file.path }
    return info
  }
}

extension SessionManagerEvent {
  /// Returns the notification of the event.
  func notification(from manager: URLSessionManager) -> Notification {
    switch self {
    case .resumed(let task): Notification(name: .sessionTaskDidResume, object: task)
    case .suspended(let task): Notification(name: .sessionTaskDidSuspend, object: task)
    case .completed(let task, let report):
      Notification(name: .sessionTaskDidComplete, object: task, userInfo: report.userInfo)
    case .fileMoved(let task, let path):
      Notification(name: .downloadDidMoveFile, object: task, userInfo: [TaskReport.pathKey: path])
    case .fileMoveFailed(let task, let error):
      Notification(name: .downloadDidFailToMoveFile, object: task, userInfo: [TaskReport.errorKey: error])
    case .sessionInvalidated: Notification(name: .sessionDidInvalidate, object: manager)
    }
  }
}

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
