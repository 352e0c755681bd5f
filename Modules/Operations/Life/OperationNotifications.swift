import CurlewCore
public import Foundation

extension Notification.Name {
  /// An operation's request begins; the object is the operation.
  ///
  /// Notifications of operations are posted from the main queue only: an observer with a queue of its own makes the posting
  /// thread wait. A started operation posts this one and `operationDidFinish` once each, and a pause or a resumption in
  /// between posts the other two.
  public static let operationDidStart = Notification.Name("com.alamofire.networking.operation.start")
  /// A started operation is over; the object is the operation.
  public static let operationDidFinish = Notification.Name("com.alamofire.networking.operation.finish")
  /// A started operation was paused; AFNetworking posted `operationDidFinish` here.
  public static let operationDidPause = Notification.Name("curlew.operation.pause")
  /// A started operation was resumed; AFNetworking posted `operationDidStart` here.
  public static let operationDidResume = Notification.Name("curlew.operation.resume")
}

extension URLConnectionOperation {
  /// Reports an event to the app's block and, where the operation was started, as a notification.
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
