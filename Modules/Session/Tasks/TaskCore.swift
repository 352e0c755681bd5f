public import CurlewCore
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

extension NetworkError.Kind {
  /// The response of a data task became a download, which another task continues.
  public static let becameDownload = NetworkError.Kind(rawValue: "became-download")
}

extension TaskCore {
  /// Hands the transfer over to a new download task.
  ///
  /// - Parameter attach: Makes the transfer store the response in the file.
  /// - Returns: Whether the task had not ended.
  func becomeDownload(to target: DownloadTarget, _ attach: () -> Void) -> Bool {
    let conversion = state.withLock { state -> (SessionTaskState, Transfer<TaskProduct>, [TaskLife.Effect])? in
      let before = state.life.state
      guard let transfer = state.transfer, let effects = state.life.handle(.converted) else { return nil }
      state.outcome = .failure(
        NetworkError(
          .becameDownload, stage: .validating,
          message: "The response became a download.",
          advice: "The download task in didBecomeDownload has the outcome."))
      return (before, transfer, effects)
    }
    guard let (before, transfer, effects) = conversion else { return false }
    attach()
    let core = TaskCore(continuing: self, in: before, transfer)
    let download = DownloadTask(core, target)
    if before == .running { core.state.withLock { $0.held = download } }
    link.core = core
    // The transfer may have ended before the link led to the download.
    transfer.onEnd { [link] outcome in link.core?.settle(outcome) }
    core.reportWrittenData()
    // The hook comes after what was asked of the data task so far, such as a pause.
    enqueue(
      .call { [self] in
        if let tell = hooks.didBecomeDownload, let task { tell(task, download) }
      })
    enqueue(.effects(effects))
    return true
  }
}

extension TaskCore {
  func perform(_ effect: TaskLife.Effect) {
    switch effect {
    case .launch: launch()
    case .pause:
      state.withLock { $0.transfer }?.pause()
      releaseTask()
    case .resume: state.withLock { $0.transfer }?.resume()
    case .stop: state.withLock { $0.transfer }?.cancel()
    case .announce(let entered): announce(entered)
    case .conclude: conclude()
    }
  }

  /// Creates the transfer and starts it.
  private func launch() {
    let make = state.withLock { state in
      defer { state.make = nil }
      return state.life.state == .completed ? nil : state.make
    }
    guard let make else { return }
    do {
      let transfer = try make(self)
      state.withLock { $0.transfer = transfer }
      transfer.onEnd { [link] outcome in link.core?.settle(outcome) }
      transfer.start()
    } catch {
      settle(.failure(error))
    }
  }

  private func announce(_ entered: SessionTaskState) {
    let handlers = state.withLock { $0.stateHandlers }
    if let tell = hooks.didChangeState, let task { tell(task, entered) }
    for tell in handlers { tell(entered) }
  }

  private func conclude() {
    let (transfer, task, outcome) = state.withLock { ($0.transfer, $0.task, $0.outcome) }
    if transfer == nil { boards.abandon() }
    guard let outcome else { return }
    if let task {
      if let tell = hooks.didCollectMetrics { tell(task, transfer?.metrics ?? []) }
      hooks.didFinish?(task, outcome.error)
    }
    let (handlers, waiters, _, _) = state.withLock { state in
      defer {
        state.endHandlers = nil
        state.stateHandlers = []
        state.make = nil
      }
      return (state.endHandlers ?? [], state.waiters.takeAll(), state.stateHandlers, state.make)
    }
    for tell in handlers { tell(outcome) }
    for waiter in waiters { waiter.resume() }
    releaseTask()
  }

  /// Releases the task, which the app may hold or not.
  private func releaseTask() {
    // Release the reference outside the lock, because it may be the last.
    _ = state.withLock { state -> SessionTask? in
      guard !state.life.mustLive else { return nil }
      defer { state.held = nil }
      return state.held
    }
  }
}

extension TaskCore {
  /// Calls a handler once with the outcome, even if the task has ended.
  func onEnd(_ handler: @escaping @Sendable (Outcome) -> Void) {
    let known = state.withLock { state -> Outcome? in
      guard state.endHandlers != nil else { return state.outcome }
      state.endHandlers?.append(handler)
      return nil
    }
    if let known { enqueue(.call { handler(known) }) }
  }

  /// Calls a handler on an executor once with the outcome; `settled()` waits for it.
  func onEnd(on executor: CallbackExecutor, _ handler: @escaping @Sendable (Outcome) -> Void) {
    onEnd { [weak self] outcome in
      let core = self
      core?.beginBlock()
      executor.run {
        handler(outcome)
        core?.endBlock()
      }
    }
  }

  /// Notes a handler that `settled()` waits for.
  func beginBlock() { state.withLock { $0.openBlocks += 1 } }

  /// Notes that a handler has returned.
  func endBlock() {
    let waiters = state.withLock { state in
      state.openBlocks -= 1
      return state.openBlocks == 0 ? state.waiters.takeAll() : []
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits for the outcome.
  ///
  /// - Throws: `CancellationError` when the waiting task is cancelled and `leavesWhenCancelled` is true.
  nonisolated(nonsending) func ended(leavesWhenCancelled: Bool) async throws -> Outcome {
    try await state.wait(leavesWhenCancelled: leavesWhenCancelled) { $0.endHandlers == nil ? .success(()) : nil }
    return state.withLock { $0.outcome } ?? .cancelled
  }

  /// Starts the task if it was never resumed, unless the reading task is cancelled.
  func startReading() { if !Task.isCancelled { _ = take(.read) } }

  /// Waits for the outcome, for a reader, which starts the task if it was never resumed.
  ///
  /// Cancelling the reader cancels a task that belongs to its readers.
  ///
  /// - Throws: `CancellationError` when the reader is cancelled.
  nonisolated(nonsending) func read() async throws -> Outcome {
    startReading()
    do {
      return try await ended(leavesWhenCancelled: true)
    } catch {
      _ = take(.leave)
      // A download that is cancelled stores its bytes first, so that whoever reads on can resume it.
      guard state.withLock({ $0.life.belongsToReaders }) else { throw error }
      return try await ended(leavesWhenCancelled: false)
    }
  }

  /// Waits until the task is suspended and nothing is written any more, or has settled.
  func halted() async {
    await caughtUp()
    await state.withLock { $0.transfer }?.halted()
  }

  /// Waits until the task is completed, nothing of it is running, and its handlers have returned.
  func settled() async {
    _ = try? await ended(leavesWhenCancelled: false)
    await state.withLock { $0.transfer }?.settled()
    // By then the handlers of the end are submitted.
    await caughtUp()
    try? await state.wait(leavesWhenCancelled: false) { $0.openBlocks == 0 ? .success(()) : nil }
  }

  /// Waits until the effects of all calls so far were carried out.
  private func caughtUp() async {
    await withCheckedContinuation { continuation in enqueue(.call { continuation.resume() }) }
  }
}

/// The product of a task's transfer.
enum TaskProduct: Sendable {
  /// The value of a data task, as a `ValueBox`.
  case value(any AnyObject & Sendable)
  /// A downloaded file, on the heap, since outcomes are copied often and most have a value.
  indirect case file(DownloadResult)
}

/// Holds a value of one type, so that it can be stored without that type and found again.
///
/// A box is exact where a cast of the value is not: casts look into optionals.
final class ValueBox<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
