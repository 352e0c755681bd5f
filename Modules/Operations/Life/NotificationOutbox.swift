import CurlewCore
import Dispatch
import Foundation

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
