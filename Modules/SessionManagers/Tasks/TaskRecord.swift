import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewSession

/// The hooks of a manager at one time, shared by the tasks that were created then.
final class HookSnapshot: Sendable {
  /// Whose answers the hooks give: those of one manager, as long as no hook changes.
  let answerer = ChallengeAnswerer.new()
  let hooks: SessionHooks
  /// Whether any hook is set.
  let isSet: Bool

  init(_ hooks: SessionHooks) {
    self.hooks = hooks
    isSet = !hooks.isEmpty
  }
}

/// Called once with the outcome of a task; without the task if nobody held it any more.
typealias TaskEnding = @Sendable (SessionTask?, TransferOutcome<any Sendable>) -> Void

/// What a manager keeps of one task.
///
/// A data task that becomes a download hands its record on.
final class TaskRecord: Sendable {
  private struct State {
    weak var task: SessionTask?
    /// The task between its end and its completion handler.
    var finished: SessionTask?
    var claim: PartialKey?
    var hasCompleteFile = false
  }

  let snapshot: HookSnapshot
  let policy: (any ServerTrustEvaluating)?
  let ending: TaskEnding?
  /// Called before each attempt after the first.
  let taskHandler: (@Sendable (SessionTask) -> Void)?
  /// Called before each attempt, which waits for it; an error ends the task.
  let willBegin: (@Sendable () async throws -> Void)?
  private let state = Guarded(State())

  init(
    _ snapshot: HookSnapshot, _ policy: (any ServerTrustEvaluating)?, _ ending: TaskEnding?,
    taskHandler: (@Sendable (SessionTask) -> Void)? = nil, willBegin: (@Sendable () async throws -> Void)? = nil,
    hasOwnSteps: Bool
  ) {
    callsBack = snapshot.isSet || taskHandler != nil || hasOwnSteps
    self.snapshot = snapshot
    self.policy = policy
    self.ending = ending
    self.taskHandler = taskHandler
    self.willBegin = willBegin
  }

  var hooks: SessionHooks { snapshot.hooks }

  /// The task; nil once it was released.
  var task: SessionTask? { state.withLock { $0.task } }

  /// Whether something of the task may run on the manager's callback queue, besides progress handlers.
  let callsBack: Bool

  /// Whether the task does not leave the decision about servers to its session.
  var judgesServers: Bool { policy != nil || hooks.sessionDidReceiveChallenge != nil }

  /// The partial file that the task uses; nil if its path identifies it.
  var claim: PartialKey? {
    get { state.withLock { $0.claim } }
    set { state.withLock { $0.claim = newValue } }
  }

  /// Whether a download's file was complete and about to get its name.
  var hasCompleteFile: Bool { state.withLock { $0.hasCompleteFile } }

  /// Notes when a file is about to get its name.
  func watch(_ file: inout PartialSink.Options) {
    let tell = file.willPublish
    file.willPublish = { [self] partial in
      state.withLock { $0.hasCompleteFile = true }
      try await tell?(partial)
    }
  }

  func begin(_ task: SessionTask) { state.withLock { $0.task = task } }

  /// Keeps the task until `takeFinished`.
  func finish(_ task: SessionTask) { state.withLock { $0.finished = task } }

  /// Returns the ended task; nil if it was released before its end.
  func takeFinished() -> SessionTask? {
    state.withLock { state in
      defer { state.finished = nil }
      return state.finished
    }
  }
}
