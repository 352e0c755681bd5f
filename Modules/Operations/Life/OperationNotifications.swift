import CurlewCore
public import Foundation

extension Notification.Name {
  /// An operation's request begins; the object is the operation.
  ///
  /// Operations post notifications only from the main queue, because an observer with its own queue blocks the posting thread.
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
    let (setup, wasStarted) = state.withLock { ($0.setup, $0.engine != nil) }
    if let block = setup.event { setup.completionExecutor.run { block(event) } }
    guard setup.postsNotifications, wasStarted, let name = event.notification else { return }
    DispatchQueue.main.async { NotificationCenter.default.post(name: name, object: self) }
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
