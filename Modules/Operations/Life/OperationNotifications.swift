import CurlewCore
import Dispatch
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

/// Posts the operations' notifications from the main queue, in order.
///
/// Waking the main thread costs more than a notification. So all notifications that wait are posted in one turn of the main queue,
/// and the next turn follows after `interval` at the earliest. A notification after a longer rest is not delayed.
final class NotificationOutbox: Sendable {
  private struct State {
    var waiting: [(name: Notification.Name, operation: URLConnectionOperation)] = []
    var isDue = false
    var next = DispatchTime(uptimeNanoseconds: 0)
  }

  /// The outbox of the process, because there is one main queue and one default centre.
  static let main = NotificationOutbox()

  /// The shortest time between two turns of the main queue.
  private static let interval = DispatchTimeInterval.milliseconds(5)

  private let state = Guarded(State())

  private init() {}

  /// Posts a notification later, about an operation that is retained until then.
  func post(_ name: Notification.Name, about operation: URLConnectionOperation) {
    let due = state.withLock { state -> DispatchTime? in
      state.waiting.append((name, operation))
      defer { state.isDue = true }
      return state.isDue ? nil : state.next
    }
    guard let due else { return }
    if due <= .now() {
      DispatchQueue.main.async { [self] in postAll() }
    } else {
      DispatchQueue.main.asyncAfter(deadline: due) { [self] in postAll() }
    }
  }

  private func postAll() {
    let batch = state.withLock { state in
      defer { state = State(next: .now() + Self.interval) }
      return state.waiting
    }
    for (name, operation) in batch { NotificationCenter.default.post(name: name, object: operation) }
  }
}
