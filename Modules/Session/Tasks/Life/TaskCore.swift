import CurlewCore
import CurlewDownload
import CurlewLoading
import Synchronization

/// Drives a `TaskLife` and carries out its effects in order, outside locks.
///
/// The transfer's closures lead here through a `TaskLink`, and the app holds the `SessionTask` in front of it; that way a task
/// notices when the app releases it.
final class TaskCore: Sendable {
  typealias Outcome = TransferOutcome<TaskProduct>
  /// Creates the transfer of a task.
  typealias Make = @Sendable (TaskCore) throws -> Transfer<TaskProduct>

  /// Work to do outside the lock.
  enum Work: Sendable {
    case effects([TaskLife.Effect])
    /// Change the transfer, if there is one.
    case apply(@Sendable (Transfer<TaskProduct>) -> Void)
    /// Call a function.
    case call(@Sendable () -> Void)
  }

  struct State: WaitableState {
    var life: TaskLife
    weak var task: SessionTask?
    /// The task itself while it runs or is being cancelled.
    var held: SessionTask?
    /// Nil once the transfer was made, so that everything it holds is released.
    var make: Make?
    var transfer: Transfer<TaskProduct>?
    var outcome: Outcome?
    var work = WorkQueue<Work>()
    var stateHandlers: [@Sendable (SessionTaskState) -> Void] = []
    /// The handlers of the end; nil once they were called.
    var endHandlers: [@Sendable (Outcome) -> Void]? = []
    var waiters = Waiters()
    /// The number of handlers of the end that were submitted and have not returned.
    var openBlocks = 0

    var userInfo = UserInfo()
    /// Whether the app has changed the values since the task was made.
    var hasNewUserInfo = false
    var priority: RequestPriority?
    var originalRequest: Request?
    /// The request of the latest attempt, as it was built.
    var latestRequest: Request?
    /// The request of the latest redirect, and its attempt.
    var redirected: (attempt: Int, request: Request)?
    /// What the app has added to the number of attempts.
    var addedCount = 0
    /// What the app has added to the time.
    var addedTime = Duration.zero
  }

  /// The number of a task, unique in the process.
  let identifier: Int
  let kind: SessionTask.Kind
  let session: SessionCore
  let hooks: SessionTaskHooks
  let boards: TransferBoards
  let link: TaskLink
  let state: Guarded<State>

  /// Creates a suspended task.
  ///
  /// - Parameters:
  ///   - boards: Where the progress of the transfer is published.
  ///   - request: The request, if it is known before the first attempt.
  ///   - userInfo: The app's own values.
  ///   - make: Creates the transfer when the task is resumed for the first time.
  init(
    _ kind: SessionTask.Kind, _ session: SessionCore, _ hooks: SessionTaskHooks, _ link: TaskLink,
    _ boards: TransferBoards, _ request: Request?, _ userInfo: UserInfo, make: @escaping Make
  ) {
    identifier = TaskNumbers.next()
    self.kind = kind
    self.session = session
    self.hooks = hooks
    self.boards = boards
    self.link = link
    state = Guarded(
      State(
        life: TaskLife(isDownload: kind == .download), make: make, userInfo: userInfo, originalRequest: request))
    link.core = self
  }

  /// Creates the download that continues the transfer of a data task.
  init(continuing task: TaskCore, in state: SessionTaskState, _ transfer: Transfer<TaskProduct>) {
    identifier = TaskNumbers.next()
    kind = .download
    session = task.session
    hooks = task.hooks
    boards = task.boards
    link = task.link
    let (userInfo, priority, original, latest) = task.state.withLock { state in
      (state.userInfo, state.priority, state.originalRequest, state.latestRequest)
    }
    var new = State(life: TaskLife(continuing: state))
    new.transfer = transfer
    new.userInfo = userInfo
    new.priority = priority
    new.originalRequest = original
    new.latestRequest = latest
    self.state = Guarded(new)
  }

  /// The task for the app; nil if it was released.
  var task: SessionTask? { state.withLock { $0.task } }

  /// Handles a call of the app; returns false if it is not allowed.
  func take(_ event: TaskLife.Event) -> Bool { handle(event, .cancelled) }

  /// Sets the outcome of the transfer, unless the task has one.
  func settle(_ outcome: Outcome) { _ = handle(.ended, outcome) }

  /// Handles an event, and carries out its effects unless another thread does.
  ///
  /// - Parameter outcome: The outcome if the event completes the task.
  func handle(_ event: TaskLife.Event, _ outcome: Outcome) -> Bool {
    let reported = outcome.reported(by: session)
    let (isLegal, drains) = state.withLock { state -> (Bool, Bool) in
      guard let effects = state.life.handle(event) else { return (false, false) }
      if state.life.state == .completed { state.outcome = reported }
      // A task that runs or is being cancelled lives to its end.
      if state.life.mustLive { state.held = state.task }
      state.work.add(.effects(effects))
      return (true, state.work.begin())
    }
    if drains { drain() }
    return isLegal
  }

  /// Adds work that runs after the effects so far.
  func enqueue(_ work: Work) {
    let drains = state.withLock { state in
      state.work.add(work)
      return state.work.begin()
    }
    if drains { drain() }
  }

  /// Cancels a suspended task that nobody can resume any more.
  func abandon() {
    guard take(.cancel), let transfer = state.withLock({ $0.life.state == .canceling ? $0.transfer : nil }) else {
      return
    }
    // The link is weak: hold on until the download has told its end.
    transfer.onEnd { [self] outcome in settle(outcome) }
  }

  private func drain() {
    while let work = state.withLock({ $0.work.next() }) {
      switch work {
      case .effects(let effects): for effect in effects { perform(effect) }
      case .apply(let change): if let transfer = state.withLock({ $0.transfer }) { change(transfer) }
      case .call(let function): function()
      }
    }
  }
}

extension TransferOutcome<TaskProduct> {
  /// Returns the outcome with the error as the session reports it.
  fileprivate func reported(by session: SessionCore) -> Self {
    guard case .failure(let error) = self else { return self }
    return .failure(session.reported(error))
  }
}

/// Numbers the tasks of the process.
enum TaskNumbers {
  private static let last = Atomic<Int>(0)

  /// Returns a number that no other task has, from 1.
  static func next() -> Int { last.add(1, ordering: .relaxed).newValue }
}
