import CurlewCore
import CurlewLoading

/// The result of an operation's transfer.
///
/// It is on the heap, because it is large and read often.
final class OperationResult: Sendable {
  let head: ResponseHead
  let content: TransferContent
  let value: any Sendable

  init(head: ResponseHead, content: TransferContent, value: any Sendable) {
    self.head = head
    self.content = content
    self.value = value
  }
}

/// The reference of a transfer to its operation; strong while it executes.
///
/// A transfer retains its closures until its end. With this link, they do not retain a paused operation without other
/// references.
final class OperationLink: Sendable {
  private struct State {
    weak var operation: URLConnectionOperation?
    var held: URLConnectionOperation?
  }

  private let state: Guarded<State>

  init(_ operation: URLConnectionOperation) { state = Guarded(State(operation: operation, held: operation)) }

  /// The operation; nil if it was released.
  var operation: URLConnectionOperation? { state.withLock { $0.operation } }

  /// Retains the operation; nil releases it.
  func hold(_ operation: URLConnectionOperation?) {
    // Release the old reference outside the lock, because it may be the last.
    _ = state.withLock { state in
      defer { state.held = operation }
      return state.held
    }
  }
}
