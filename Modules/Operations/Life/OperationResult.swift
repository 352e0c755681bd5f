import CurlewCore
import CurlewLoading

/// What an operation's transfer makes of a response.
struct OperationResult: Sendable {
  var head: ResponseHead
  var content: TransferContent
  var value: any Sendable
}

/// Leads from a transfer to its operation, and holds the operation while it executes.
///
/// A transfer holds its closures until it is over. Through this link they do not keep an operation that is paused and that
/// nobody holds.
final class OperationLink: Sendable {
  private struct State {
    weak var operation: URLConnectionOperation?
    var held: URLConnectionOperation?
  }

  private let state: Guarded<State>

  init(_ operation: URLConnectionOperation) { state = Guarded(State(operation: operation, held: operation)) }

  /// The operation; nil when nobody holds it any more.
  var operation: URLConnectionOperation? { state.withLock { $0.operation } }

  /// Holds the operation, or lets it go.
  func hold(_ operation: URLConnectionOperation?) {
    // The old reference is released outside the lock, since it may be the last.
    _ = state.withLock { state in
      defer { state.held = operation }
      return state.held
    }
  }
}
