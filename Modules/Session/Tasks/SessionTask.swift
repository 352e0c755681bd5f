public import CurlewCore
import CurlewLoading

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
