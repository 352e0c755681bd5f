import CurlewCore
public import Foundation

extension Notification.Name {
  /// An operation's request begins; the object is the operation.
  ///
  /// Operations post notifications only from the main queue, because an observer with its own queue blocks the posting thread.
  /// When there are many, those of 5 ms are posted together.
  /// A started operation posts this notification and `operationDidFinish` once each. A pause and a resumption post the other
  /// two.
  public static let operationDidStart = Notification.Name("com.alamofire.networking.operation.start")
  /// A started operation has finished; the object is the operation.
  public static let operationDidFinish = Notification.Name("com.alamofire.networking.operation.finish")
  /// A started operation was paused; AFNetworking posted `operationDidFinish`.
  public static let operationDidPause = Notification.Name("curlew.operation.pause")
  /// A started operation was resumed; AFNetworking posted `operationDidStart`.
  public static let operationDidResume = Notification.Name("curlew.operation.resume")
}

extension URLConnectionOperation {
  /// Reports an event to the app's block and, after the start, as a notification.
  func report(_ event: OperationEvent) {
    let (tell, posts) = state.withLock { state in
      let tell = state.setup.event.map { ($0, state.setup.completionExecutor) }
      return (tell, state.setup.postsNotifications && state.transfer != nil)
    }
    if let (block, executor) = tell { executor.run { block(event) } }
    guard posts, let name = event.notification else { return }
    NotificationOutbox.main.post(name, about: self)
  }
}

extension OperationEvent {
  fileprivate var notification: Notification.Name? {
    switch self {
    case .started: .operationDidStart
    case .paused: .operationDidPause
    case .resumed: .operationDidResume
    case .finished: .operationDidFinish
    case .refused: nil
    }
  }
}
