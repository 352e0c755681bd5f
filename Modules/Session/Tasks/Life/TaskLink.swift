import CurlewCore

/// Leads from the closures of a transfer to the task that it belongs to.
///
/// The reference is weak, because a transfer outlives a suspended task that nobody holds. A running task holds itself. When a
/// data task becomes a download, the link leads to the download from then on.
final class TaskLink: Sendable {
  private struct State {
    weak var core: TaskCore?
  }

  private let state = Guarded(State())

  /// The task; nil if it was released.
  var core: TaskCore? {
    get { state.withLock { $0.core } }
    set { state.withLock { $0.core = newValue } }
  }

  /// The task for the app; nil if it was released.
  var task: SessionTask? { core?.task }
}
