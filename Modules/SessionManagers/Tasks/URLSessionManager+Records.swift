public import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewSession
import Dispatch
import Foundation

extension NetworkError.Kind {
  /// The task's session was invalidated before the task was created.
  public static let sessionInvalidated = NetworkError.Kind(rawValue: "session-invalidated")
}

extension NetworkError {
  static let sessionInvalidated = NetworkError(
    .sessionInvalidated, stage: .preparing,
    message: "The manager's session was invalidated.", advice: "Call invalidate with resetSession to begin another one."
  )
}

extension URLSessionManager {
  var callbackExecutor: CallbackExecutor {
    CallbackExecutor { [callbackQueue] work in callbackQueue.async(execute: work) }
  }

  /// The hooks that a task was created with; the current ones for a task of another manager.
  func hooks(of task: SessionTask) -> SessionHooks {
    state.withLock { state in state.records[task.identifier]?.snapshot ?? state.hooks }.hooks
  }

  /// Creates the record of a task with the manager's current settings.
  func record(
    _ settings: TaskSettings, _ ending: TaskEnding?, taskHandler: (@Sendable (SessionTask) -> Void)? = nil,
    willBegin: (@Sendable () async throws -> Void)? = nil
  ) -> TaskRecord {
    let (snapshot, policy) = state.withLock { ($0.hooks, $0.policy) }
    return TaskRecord(
      snapshot, settings.securityPolicy ?? policy, ending, taskHandler: taskHandler, willBegin: willBegin,
      hasOwnSteps: Self.hasOwnSteps)
  }

  /// Creates a task of the current session and keeps its record until its end.
  func register<Task: SessionTask>(_ record: TaskRecord, _ make: (HTTPSession) -> Task) -> Task {
    while true {
      let (session, number) = state.withLock { ($0.session, $0.ledger.current) }
      let task = make(session)
      record.begin(task)
      let isCurrent = state.withLock { state in
        guard state.ledger.current == number else { return false }
        state.ledger.enter(task.identifier)
        state.records[task.identifier] = record
        return true
      }
      // If the session was invalidated meanwhile, the task, which nobody has seen, is created again.
      if isCurrent { return task }
    }
  }

  /// Claims the partial file of a download, so that no other one of this manager uses it.
  func claimed(
    _ wanted: DownloadTarget, for url: URL, _ record: TaskRecord, isResumed: Bool = false
  ) -> DownloadTarget {
    let earlier = record.claim
    let (target, claim) = state.withLock { state in
      // Another attempt of a data task may become a download again.
      if let earlier { state.claims.release(earlier) }
      return state.claims.claim(wanted, for: url, isResumed: isResumed)
    }
    record.claim = claim
    return target
  }

  /// Removes the record of a task that has ended, and delivers its outcome.
  ///
  /// - Parameter callsBack: Whether something of the task may still wait on the callback queue. The completion handler then comes
  ///   after it.
  func ended(
    _ identifier: Int, _ record: TaskRecord, _ outcome: TransferOutcome<any Sendable>, callsBack: Bool
  ) {
    let task = record.takeFinished()
    let isBecomingDownload = outcome.isBecomingDownload
    let claim = isBecomingDownload ? nil : record.claim
    let (group, isHeard) = state.withLock { state in
      if let claim { state.claims.release(claim) }
      return (state.completionGroup, state.isHeard)
    }
    guard !isBecomingDownload else {
      leaveSession(identifier)
      return forget(identifier)
    }
    // A session ends after the last completion handler, and a task settles after its own.
    let hasHandler = record.ending != nil
    if hasHandler { task?.beginBlock() } else { leaveSession(identifier) }
    // The group is left after the completion handler.
    group?.enter()
    let finish: @Sendable () -> Void = { [self] in
      group?.leave()
      guard hasHandler else { return }
      leaveSession(identifier)
      task?.endBlock()
    }
    guard callsBack || isHeard else {
      forget(identifier)
      return complete(task, record, outcome, finish)
    }
    callbackQueue.async { [self] in
      forget(identifier)
      if let download = task as? DownloadTask { tellFile(of: download, outcome, record) }
      complete(task, record, outcome, finish)
    }
  }

  /// Removes a task from its session, which may end with it.
  private func leaveSession(_ identifier: Int) {
    if state.withLock({ $0.ledger.leave(identifier) }) { sessionEnded() }
  }

  /// Calls the completion handler of a task, and then reports its end.
  private func complete(
    _ task: SessionTask?, _ record: TaskRecord, _ outcome: TransferOutcome<any Sendable>,
    _ finish: @escaping @Sendable () -> Void
  ) {
    (completionQueue ?? .main).async { [self] in
      record.ending?(task, outcome)
      finish()
      guard let task, isHeard else { return }
      tell(
        .completed(
          task,
          TaskReport(
            response: task.response, value: try? outcome.get(), error: outcome.error, metrics: task.metrics)))
    }
  }

  private func forget(_ identifier: Int) {
    // The record is released outside the lock, because it holds closures of the app.
    _ = state.withLock { $0.records.removeValue(forKey: identifier) }
  }

  /// Reports that a file has its path, or why it has none although it was complete.
  private func tellFile(of task: DownloadTask, _ outcome: TransferOutcome<any Sendable>, _ record: TaskRecord) {
    if let file = try? outcome.get() as? DownloadResult { return tell(.fileMoved(task, path: file.path)) }
    guard record.hasCompleteFile, let error = outcome.error as? NetworkError,
      [.targetExists, .fileError].contains(error.kind)
    else { return }
    tell(.fileMoveFailed(task, error))
  }

  /// Reports that an invalidated session has ended.
  func sessionEnded() {
    callbackQueue.async { [self] in
      sessionDidBecomeInvalid()
      tell(.sessionInvalidated)
    }
  }

  /// Whether anybody receives events.
  var isHeard: Bool { state.withLock { $0.isHeard } }

  /// Delivers an event to listeners, and as a notification from the main queue.
  func tell(_ event: SessionManagerEvent) {
    let (listeners, posts) = state.withLock { ($0.listeners, $0.postsNotifications) }
    for (executor, handler) in listeners { executor.run { handler(event) } }
    guard posts else { return }
    DispatchQueue.main.async { [self] in NotificationCenter.default.post(event.notification(from: self)) }
  }
}

extension URLSessionManager.State {
  /// Whether anybody receives events.
  fileprivate var isHeard: Bool { postsNotifications || !listeners.isEmpty }
}

extension TransferOutcome {
  /// Whether the task ended because a download goes on with its response.
  var isBecomingDownload: Bool { (error as? NetworkError)?.kind == .becameDownload }
}
