import CurlewCore
import Dispatch
import Foundation

/// Posts the operations' notifications from the main queue, in order.
///
/// All notifications that wait are posted in one turn of the main queue, because waking the main thread costs more than a
/// notification.
final class NotificationOutbox: Sendable {
  private struct State {
    var waiting: [(name: Notification.Name, operation: URLConnectionOperation)] = []
    var isDue = false
  }

  /// The outbox of the process, because there is one main queue and one default centre.
  static let main = NotificationOutbox()

  private let state = Guarded(State())

  private init() {}

  /// Posts a notification later, about an operation that is retained until then.
  func post(_ name: Notification.Name, about operation: URLConnectionOperation) {
    let isFirst = state.withLock { state in
      state.waiting.append((name, operation))
      defer { state.isDue = true }
      return !state.isDue
    }
    if isFirst { DispatchQueue.main.async { [self] in postAll() } }
  }

  private func postAll() {
    let batch = state.withLock { state in
      defer { state = State() }
      return state.waiting
    }
    for (name, operation) in batch { NotificationCenter.default.post(name: name, object: operation) }
  }
}
