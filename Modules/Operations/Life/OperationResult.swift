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

/// The reference of a transfer to its operation; strong while it executes, weak during a pause, and none after the end.
///
/// A transfer retains its closures until its end. With this link, they do not retain a paused operation without other
/// references.
final class OperationLink: Sendable {
  private struct State {
    var held: URLConnectionOperation?
    /// Only set during a pause, because an object that ever had a weak reference is slower to retain.
    weak var paused: URLConnectionOperation?
  }

  private let state: Guarded<State>

  init(_ operation: URLConnectionOperation) { state = Guarded(State(held: operation)) }

  /// The operation; nil if it was released or has ended.
  var operation: URLConnectionOperation? { state.withLock { $0.held ?? $0.paused } }

  /// Retains the operation.
  func hold(_ operation: URLConnectionOperation) { state.withLock { $0.held = operation } }

  /// Stops retaining the operation until it is resumed.
  func pause() { replace { $0.paused = $0.held } }

  /// Releases the operation at its end.
  func end() { replace { $0.paused = nil } }

  private func replace(_ change: (inout State) -> Void) {
    // Release the old reference outside the lock, because it may be the last.
    _ = state.withLock { state in
      change(&state)
      defer { state.held = nil }
      return state.held
    }
  }
}
