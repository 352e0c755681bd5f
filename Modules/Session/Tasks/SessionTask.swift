public import CurlewCore
public import CurlewLoading

/// One request of a session, which can be suspended, resumed and cancelled.
///
/// A session makes three kinds of tasks: `DataTask`, `UploadTask` and `DownloadTask`. Each is created suspended, and nothing is
/// sent before the first `resume`, or before somebody reads its value or its progress. Then it makes attempts, one at a time, and
/// ends with exactly one outcome, after which nothing more happens. Every method may be called from any isolation at any time; a
/// call that is not allowed in the current state returns false and changes nothing.
///
/// ```swift
/// let task = session.dataTask("birds", as: [Bird].self)
/// task.downloadProgress?.observe(on: .mainActor()) { progress in print(progress.fraction ?? 0) }
/// task.onFinish(on: .mainActor()) { outcome in print("done:", outcome) }
/// task.resume()
/// ```
///
/// A task that was resumed and is running continues to its end when its last reference is released; a suspended one is cancelled, and
/// so is one that only a reader has started. Tasks keep their session's transport running. Two tasks are equal if they are the same task.
public class SessionTask: @unchecked Sendable {  // Safe because its one property is constant.
  /// The kinds of tasks.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A request whose response is collected in memory.
    case data
    /// A request whose body is the point.
    case upload
    /// A request whose response becomes a file.
    case download
  }

  final let core: TaskCore

  init(_ core: TaskCore) {
    self.core = core
    core.state.withLock { $0.task = self }
  }

  deinit { core.abandon() }

  /// The number of the task, from 1; no other task in the process has it.
  public final var identifier: Int { core.identifier }

  /// The kind of the task.
  public final var kind: Kind { core.kind }

  /// The current state.
  public final var state: SessionTaskState { core.state.withLock { $0.life.state } }

  /// Starts the task, or resumes it after a suspension.
  ///
  /// If the connection was released or lost meanwhile, another attempt requests what is missing with `Range`, if that is safe,
  /// and otherwise starts over.
  ///
  /// - Returns: Whether it was suspended.
  @discardableResult
  public final func resume() -> Bool { core.take(.resume) }

  /// Suspends the task in both directions.
  ///
  /// Suspensions do not nest: one `resume` ends them. The task keeps its connection for ten seconds, unless the configuration
  /// says otherwise, and then releases it if the request can be repeated. If the response ends meanwhile, the outcome is
  /// delivered after `resume`.
  ///
  /// - Returns: Whether it was running.
  @discardableResult
  public final func suspend() -> Bool { core.take(.suspend) }

  /// There is no method of this name.
  @available(*, unavailable, renamed: "suspend()")
  public final func pause() {}

  /// Cancels the task in any state.
  ///
  /// A data or upload task is completed when this returns. A download that has begun stores its bytes first, so that it can be
  /// resumed; its state is `canceling` until then.
  ///
  /// - Returns: Whether it had not ended and was not being cancelled.
  @discardableResult
  public final func cancel() -> Bool { core.take(.cancel) }

  /// Waits until it is suspended and writes nothing more, or has settled.
  ///
  /// A suspended task that keeps its connection is not waited for.
  public final func halted() async { await core.halted() }

  /// Waits until it is completed, nothing of it is running, and the handlers of its end have returned.
  ///
  /// A manager's completion handler is one of them. So the queues of these handlers must run, and a handler must not wait for
  /// this.
  public final func settled() async { await core.settled() }

  /// Notes a handler of the end that `settled()` waits for, until `endBlock`.
  package final func beginBlock() { core.beginBlock() }

  /// Notes that the handler has returned.
  package final func endBlock() { core.endBlock() }

  /// Calls a handler with each state that is entered from now on, in order.
  public final func onStateChange(
    on executor: CallbackExecutor, _ handler: @escaping @Sendable (SessionTaskState) -> Void
  ) {
    core.state.withLock { state in
      guard state.life.state != .completed else { return }
      state.stateHandlers.append { entered in executor.run { handler(entered) } }
    }
  }

  /// Calls a handler once with the error, even if the task has ended; nil for a success.
  public final func onCompletion(
    on executor: CallbackExecutor, _ handler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    core.onEnd(on: executor) { outcome in handler(outcome.error) }
  }
}

extension SessionTask: Hashable, Identifiable {
  /// The `identifier`.
  public final var id: Int { identifier }

  /// Returns whether both are the same task.
  public static func == (left: SessionTask, right: SessionTask) -> Bool { left === right }

  /// Hashes the identifier.
  public final func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}

extension SessionTask: CustomStringConvertible {
  /// The kind, the number, the state and the request without secrets.
  public final var description: String {
    let request = originalRequest.map { " \($0.method) \(Redaction.standard.redacted($0.url))" } ?? ""
    return "\(kind) task \(identifier) (\(state))\(request)"
  }
}

/// The states of a session task.
public enum SessionTaskState: String, Sendable, Hashable, CaseIterable {
  /// The task waits for `resume`; every task begins in this state.
  case suspended
  /// The task is running, or waiting before a retry.
  case running
  /// A cancelled download is storing its bytes and releasing its file; the outcome is known then.
  case canceling
  /// The task has its outcome, which is final.
  case completed
}

extension SessionTask {
  /// The request that the task was made with.
  ///
  /// Nil if it could not be created, and if a builder creates it and has not been called yet.
  public final var originalRequest: Request? { core.state.withLock { $0.originalRequest } }

  /// The request of the latest attempt or redirect; the original one before the first.
  public final var currentRequest: Request? {
    let (transfer, redirected, original) = core.state.withLock { ($0.transfer, $0.redirected, $0.originalRequest) }
    guard let attempt = transfer?.attempts.last else { return original }
    if let redirected, redirected.attempt == attempt.number { return redirected.request }
    return attempt.request ?? original
  }

  /// The latest head of any attempt; nil before the first.
  public final var response: ResponseHead? { core.transfer?.response }

  /// The error; nil before the end and after a success.
  ///
  /// It is a `CancellationError` if the task was cancelled.
  public final var error: (any Error)? { core.state.withLock { $0.outcome }?.error }

  /// The progress of the request's body; nil when the task is completed.
  public final var uploadProgress: TransferProgressSequence? {
    state == .completed ? nil : core.boards.uploadProgress
  }

  /// The progress of the response's body; nil when the task is completed.
  ///
  /// It can be observed before the first `resume`. Observers receive the last snapshot of a success.
  public final var downloadProgress: TransferProgressSequence? {
    state == .completed ? nil : core.boards.downloadProgress
  }

  /// The app's own values; later attempts find them in their exchange.
  public final subscript<Key: UserInfoKey>(key: Key.Type) -> Key.Value? {
    get { core.state.withLock { $0.userInfo[key] } }
    set { core.set(key, newValue) }
  }

  /// The priority of attempts that begin later; nil keeps that of the request.
  public final var priority: RequestPriority? {
    get { core.state.withLock { $0.priority ?? $0.originalRequest?.options.priority } }
    set { core.state.withLock { $0.priority = newValue } }
  }

  /// The measurements so far, one for each attempt and hop that was sent.
  public final var metrics: [ExchangeMetrics] { core.transfer?.metrics ?? [] }

  /// The attempts so far, oldest first; at most the newest 100.
  public final var attempts: [TransferAttempt] { core.transfer?.attempts ?? [] }

  /// The number of attempts so far, also after a failure.
  ///
  /// Setting it counts on from there, so that a task can continue the count of an earlier one. Values outside 0 to 2^40 are moved to the
  /// nearest of them.
  public final var attemptCount: Int {
    get {
      let (transfer, added) = core.state.withLock { ($0.transfer, $0.addedCount) }
      return max(0, (transfer?.attemptCount ?? 0) + added)
    }
    set {
      let own = core.transfer?.attemptCount ?? 0
      core.state.withLock { $0.addedCount = min(max(0, newValue), 1 << 40) - own }
    }
  }

  /// The time from the first attempt's start to the end, or until now, also after a failure.
  ///
  /// Delays and suspensions count. Setting it counts on from there. Negative values count as zero.
  public final var totalTime: Duration {
    get {
      let (transfer, added) = core.state.withLock { ($0.transfer, $0.addedTime) }
      return max(.zero, (transfer?.totalTime ?? .zero) + added)
    }
    set {
      let own = core.transfer?.totalTime ?? .zero
      core.state.withLock { $0.addedTime = max(.zero, newValue) - own }
    }
  }
}

extension TaskCore {
  /// The transfer; nil before the first `resume`.
  var transfer: Transfer<TaskProduct>? { state.withLock { $0.transfer } }

  /// Sets one of the app's values, here and in the transfer.
  fileprivate func set<Key: UserInfoKey>(_ key: Key.Type, _ value: Key.Value?) {
    // The old value is released outside the lock.
    let (isMade, _) = state.withLock { state in
      let old = state.userInfo
      state.userInfo[key] = value
      state.hasNewUserInfo = true
      return (state.make == nil, old)
    }
    if isMade { enqueue(.apply { [self] transfer in transfer.replaceUserInfo(state.withLock { $0.userInfo }) }) }
  }
}

extension SessionTask {
  /// Reads the progress of a task, and its error at the end.
  ///
  /// It holds the task. Leaving the loop therefore cancels a task that only the loop has started and that nobody else holds.
  public struct ProgressIterator: AsyncIteratorProtocol {
    private let task: SessionTask
    private let progress: TransferProgressSequence
    private var snapshots: TransferProgressSequence.Iterator?
    private var isFinished = false

    init(_ task: SessionTask, _ progress: TransferProgressSequence) {
      self.task = task
      self.progress = progress
    }

    /// Returns the newest snapshot; nil when the task has succeeded.
    ///
    /// - Throws: The error of the task; `CancellationError` when it or the reading task was cancelled.
    public mutating func next() async throws -> TransferProgress? {
      guard !isFinished else { return nil }
      if snapshots == nil {
        task.core.startReading()
        snapshots = progress.makeAsyncIterator()
      }
      if let progress = await snapshots?.next() { return progress }
      isFinished = true
      _ = try await task.core.read().get()
      return nil
    }
  }
}
