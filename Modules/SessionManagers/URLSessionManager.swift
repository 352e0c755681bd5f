public import CurlewCore
import CurlewDownload
import CurlewJSON
public import CurlewLoading
import CurlewSecurity
public import CurlewSerialization
public import CurlewSession
public import Dispatch
public import Foundation
import HTTPTypes

/// Creates the tasks of a session, and answers their questions in one place.
///
/// It corresponds to `AFURLSessionManager` of AFNetworking 3 and 4, and to `FWURLSessionManager`.
///
/// ```swift
/// let manager = URLSessionManager(configuration)
/// let task = manager.dataTask(with: try Request(.get, "https://example.com/birds")) { response, birds, error in
///   show(birds, error)
/// }
/// task.resume()
/// ```
///
/// A task is created suspended and uses the settings that the manager has at that time. Its handlers are called in this order:
/// handlers of progress and `hooks` on `callbackQueue`, one at a time; then, once, the completion handler on
/// `completionQueue`, in `completionGroup`; then the notification. Whatever is wrong, such as a hook that the chain never asks
/// or an invalidated session, is the error of the task after its `resume`.
///
/// A manager is cheap: its session makes the transport when the first task resumes, and a transport that the session made is
/// shut down after the manager and its tasks. A running task keeps its manager; the manager keeps no task.
///
/// A subclass overrides the methods from `sessionDidBecomeInvalid()` on. They run on `callbackQueue`, and the task waits for
/// those that return an answer. Call `super` first: it asks `hooks`. Every member may be used from any thread.
// Safe because its state is guarded.
open class URLSessionManager: @unchecked Sendable, CustomStringConvertible {
  /// Called once when a task has ended, with the response, the value and the error.
  ///
  /// The value is nil if there is an error; a cancelled task has a `CancellationError`.
  public typealias Completion = @Sendable (ResponseHead?, (any Sendable)?, (any Error)?) -> Void
  /// Receives the progress of one direction of a task, on `callbackQueue`.
  public typealias ProgressHandler = @Sendable (TransferProgress) -> Void

  struct State {
    var session: HTTPSession
    var ledger = SessionLedger()
    var claims = FileReservations()
    var records: [Int: TaskRecord] = [:]
    var hooks = HookSnapshot(SessionHooks())
    var responseSerializer: any ResponseSerializer = .jsonValue
    /// The serializer without the type of its values, made once for all tasks.
    var erasedSerializer = JSONValueResponseSerializer().erased
    var hasOwnSerializer = false
    var policy: (any ServerTrustEvaluating)?
    var reachability: (any ReachabilityMonitoring)?
    var completionQueue: DispatchQueue?
    var completionGroup: DispatchGroup?
    var postsNotifications = true
    var listeners: [(CallbackExecutor, @Sendable (SessionManagerEvent) -> Void)] = []
  }

  /// The serial queue of hooks, overridden methods and progress handlers.
  public let callbackQueue = DispatchQueue(label: "curlew.session-manager")
  let state: Guarded<State>
  /// Where new sessions get their transports from; itself never started unless the app shares it.
  private let transports: SessionTransport

  /// Creates a manager.
  ///
  /// - Parameter configuration: The configuration of the session. It is required, because the transport is a choice;
  ///   `SessionConfiguration()` of the umbrella makes the usual one.
  public required init(_ configuration: SessionConfiguration) {
    state = Guarded(State(session: HTTPSession(configuration)))
    transports = configuration.transport.renewed()
  }

  // MARK: - Session and settings

  /// The session that sends the requests; another one after `invalidate`.
  public var session: HTTPSession { state.withLock { $0.session } }

  /// The configuration of the session.
  public var configuration: SessionConfiguration { session.configuration }

  /// The hooks of tasks that are created afterwards.
  ///
  /// A hook about challenges needs interceptors that ask it. Where the configuration's chain lacks them, setting such a hook adds
  /// `Authentication` and `ServerTrustAsking` to it.
  public var hooks: SessionHooks {
    get { state.withLock { $0.hooks }.hooks }
    set {
      let snapshot = HookSnapshot(newValue)
      // The old session is released outside the lock.
      _ = state.withLock { state -> HTTPSession? in
        state.hooks = snapshot
        let chain = state.session.configuration.chain
        guard newValue.asksAboutChallenges, chain.authentication == nil || chain.serverTrust == nil else { return nil }
        let old = state.session
        state.session = old.with {
          $0.chain.authentication = chain.authentication ?? Authentication()
          $0.chain.serverTrust = chain.serverTrust ?? ServerTrustAsking()
        }
        return old
      }
    }
  }

  /// Checks responses and decodes values of tasks that are created afterwards; JSON by default.
  public var responseSerializer: any ResponseSerializer {
    get { state.withLock { $0.responseSerializer } }
    set {
      let erased = newValue.erased
      state.withLock { state in
        state.responseSerializer = newValue
        state.erasedSerializer = erased
        state.hasOwnSerializer = true
      }
    }
  }

  /// Evaluates servers' certificates; nil uses the evaluator of the configuration.
  public var securityPolicy: (any ServerTrustEvaluating)? { state.withLock { $0.policy } }

  /// Sets the evaluator of servers' certificates for tasks that are created afterwards.
  ///
  /// - Throws: `NetworkError`; nothing in this class, see `HTTPSessionManager`.
  open func setSecurityPolicy(_ policy: (any ServerTrustEvaluating)?) throws(NetworkError) {
    state.withLock { $0.policy = policy }
  }

  /// The source of the network's state, for the app to ask.
  ///
  /// It does not hold back requests; `NetworkGate` and `ConnectivityWait` in the chain do that.
  public var reachability: (any ReachabilityMonitoring)? {
    get { state.withLock { $0.reachability } }
    set { state.withLock { $0.reachability = newValue } }
  }

  /// The queue of completion handlers; nil means the main queue.
  ///
  /// It is read when a task ends.
  public var completionQueue: DispatchQueue? {
    get { state.withLock { $0.completionQueue } }
    set { state.withLock { $0.completionQueue = newValue } }
  }

  /// The group that each task enters at its end, and leaves after its completion handler.
  ///
  /// It is read when a task ends.
  public var completionGroup: DispatchGroup? {
    get { state.withLock { $0.completionGroup } }
    set { state.withLock { $0.completionGroup = newValue } }
  }

  /// Whether events are posted as notifications; true by default.
  ///
  /// They are posted from the main queue, so a program that never runs it should set false.
  public var postsNotifications: Bool {
    get { state.withLock { $0.postsNotifications } }
    set { state.withLock { $0.postsNotifications = newValue } }
  }

  /// Calls a handler with each event from now on, in order.
  public func onEvent(on executor: CallbackExecutor, _ handler: @escaping @Sendable (SessionManagerEvent) -> Void) {
    state.withLock { $0.listeners.append((executor, handler)) }
  }

  // MARK: - Tasks

  /// The tasks that have not ended, by their identifiers.
  ///
  /// It waits for nothing, so hooks may read it. A suspended task that nobody holds is cancelled and leaves the list.
  public var tasks: [SessionTask] {
    let records = state.withLock { Array($0.records.values) }
    return records.compactMap(\.task).filter { $0.state != .completed }.sorted { $0.identifier < $1.identifier }
  }

  /// The data tasks that have not ended.
  public var dataTasks: [SessionTask] { tasks.filter { $0.kind == .data } }

  /// The upload tasks that have not ended.
  public var uploadTasks: [SessionTask] { tasks.filter { $0.kind == .upload } }

  /// The download tasks that have not ended.
  public var downloadTasks: [DownloadTask] { tasks.compactMap { $0 as? DownloadTask } }

  /// The class and the number of tasks.
  open var description: String { "<\(type(of: self)): \(tasks.count) tasks>" }

  /// Ends the session: its tasks end, and `sessionDidBecomeInvalid()` is called after the last one and its completion handler.
  ///
  /// - Parameters:
  ///   - cancelingTasks: Whether its tasks are cancelled at once; otherwise they go on to their ends. A suspended one that is
  ///     neither resumed nor released keeps the session.
  ///   - resetSession: Whether a new session takes its place. Without one, tasks that are created afterwards fail with kind
  ///     `sessionInvalidated`, until another call resets the session.
  public func invalidate(cancelingTasks: Bool, resetSession: Bool) {
    let next = HTTPSession(succeeding(isUsable: resetSession))
    // The old session is released outside the lock, because it may end its transport.
    let (invalidation, running, old) = state.withLock { state in
      let old = state.session
      state.session = next
      let invalidation = state.ledger.invalidate(reset: resetSession)
      let records = state.records.filter { invalidation?.tasks.contains($0.key) == true }
      return (invalidation, records.values.compactMap(\.task), old)
    }
    _ = old
    if cancelingTasks { for task in running { task.cancel() } }
    if invalidation?.hasEnded == true { sessionEnded() }
  }

  /// Creates a manager with the same settings and a session of its own.
  ///
  /// It has the configuration, the serializer, the policy, the reachability monitor and `postsNotifications`. It has neither
  /// the hooks and the handlers of events, which often refer to this manager, nor the queue and the group of completion handlers.
  open func copied() -> Self {
    let settings = state.withLock { $0 }
    let copy = Self(succeeding(isUsable: true))
    copy.state.withLock { state in
      state.responseSerializer = settings.responseSerializer
      state.erasedSerializer = settings.erasedSerializer
      state.hasOwnSerializer = settings.hasOwnSerializer
      state.policy = settings.policy
      state.reachability = settings.reachability
      state.postsNotifications = settings.postsNotifications
    }
    return copy
  }

  /// The configuration of the session that follows the current one.
  private func succeeding(isUsable: Bool) -> SessionConfiguration {
    configuration.with { configuration in
      configuration.transport = isUsable ? transports.renewed() : .made { throw NetworkError.sessionInvalidated }
    }
  }

  // MARK: - Steps

  /// Called when an invalidated session has ended.
  open func sessionDidBecomeInvalid() { hooks.sessionDidBecomeInvalid?(self) }

  /// Called when the last transfer of a `BackgroundSession` has ended and its handler has returned.
  ///
  /// It is called each time that nothing is left, whether the transfers began in this process or in an earlier one.
  open func sessionDidFinishBackgroundEvents() { hooks.sessionDidFinishBackgroundEvents?(self) }

  /// Answers a challenge of a server or a proxy.
  ///
  /// - Parameter reply: Receives the answer, now or later, from any thread.
  open func task(_ task: SessionTask, didReceive challenge: Challenge, reply: ChallengeReply) {
    let hooks = hooks(of: task)
    let answerer = SessionHook.of(challenge).first { handler in
      switch handler {
      case .sessionHook: hooks.sessionDidReceiveChallenge != nil
      case .hook: hooks.taskDidReceiveChallenge != nil
      case .standard: true
      case .override, .task: false
      }
    }
    switch answerer {
    case .sessionHook: hooks.sessionDidReceiveChallenge?(self, task, challenge, reply)
    case .hook: hooks.taskDidReceiveChallenge?(self, task, challenge, reply)
    default: reply(.defaultHandling)
    }
  }

  /// Returns another copy of a body that can only be sent once; nil fails the task.
  open func task(_ task: SessionTask, needsNewBodyFor request: Request) -> Body? {
    hooks(of: task).taskNeedsNewBody?(self, task, request)
  }

  /// Returns the request to send in place of the previous one.
  ///
  /// - Parameter response: The 3xx; nil if the URL was only converted to canonical form.
  /// - Returns: The request; nil stops, and makes the 3xx the response.
  open func task(_ task: SessionTask, willSend request: Request, redirectedBy response: ResponseHead?) -> Request? {
    guard let hook = hooks(of: task).taskWillRedirect else { return request }
    return hook(self, task, response, request)
  }

  /// Called when bytes of the request's body were sent.
  ///
  /// - Parameters:
  ///   - bytes: The number of bytes since the last call.
  ///   - total: The number of bytes so far.
  ///   - expected: The number of bytes in total; nil if unknown.
  open func task(_ task: SessionTask, didSendBodyData bytes: Int64, total: Int64, expected: Int64?) {
    hooks(of: task).taskDidSendBodyData?(self, task, bytes, total, expected)
  }

  /// Called at the end with the metrics of all attempts.
  open func task(_ task: SessionTask, didFinishCollecting metrics: [ExchangeMetrics]) {
    hooks(of: task).taskDidFinishCollectingMetrics?(self, task, metrics)
  }

  /// Called when a task has ended, before its completion handler; nil is a success.
  open func task(_ task: SessionTask, didCompleteWith error: (any Error)?) {
    hooks(of: task).taskDidComplete?(self, task, error)
  }

  /// Decides what happens to the body of a response.
  open func dataTask(_ task: SessionTask, didReceive response: ResponseHead) -> ResponseDisposition {
    hooks(of: task).dataTaskDidReceiveResponse?(self, task, response) ?? .allow
  }

  /// Called when a data task has become a download.
  open func dataTask(_ task: SessionTask, didBecome download: DownloadTask) {
    hooks(of: task).dataTaskDidBecomeDownload?(self, task, download)
  }

  /// Called with each piece of a body; the next one is not read before it returns.
  open func dataTask(_ task: SessionTask, didReceive data: Data) {
    hooks(of: task).dataTaskDidReceiveData?(self, task, data)
  }

  /// Decides whether a cache stores the response.
  open func dataTask(_ task: SessionTask, willCache response: ResponseHead) -> CacheAnswer {
    hooks(of: task).dataTaskWillCacheResponse?(self, task, response) ?? .store
  }

  /// Returns the path of a downloaded file; nil leaves it to the task's own target.
  open func downloadTask(_ task: DownloadTask, destinationFor response: ResponseHead) -> String? {
    hooks(of: task).downloadTaskDestination?(self, task, response)
  }

  /// Called when bytes of a download were written.
  ///
  /// - Parameters:
  ///   - bytes: The number of bytes since the last call.
  ///   - total: The number of bytes so far, including those of earlier downloads.
  ///   - expected: The length of the file; nil if unknown.
  open func downloadTask(_ task: DownloadTask, didWriteData bytes: Int64, total: Int64, expected: Int64?) {
    hooks(of: task).downloadTaskDidWriteData?(self, task, bytes, total, expected)
  }

  /// Called when a download goes on with bytes that were stored earlier.
  ///
  /// - Parameters:
  ///   - offset: The number of those bytes.
  ///   - total: The length of the file; nil if unknown.
  open func downloadTask(_ task: DownloadTask, didResumeAt offset: Int64, total: Int64?) {
    hooks(of: task).downloadTaskDidResume?(self, task, offset, total)
  }

  // MARK: - What the managers of this module change

  /// Whether the class may override steps.
  class var hasOwnSteps: Bool { self != URLSessionManager.self }

  /// The request serializer that an archive names; nil for the configuration's.
  var archivedRequestSerializer: (any RequestSerializer)? { nil }

  /// The header fields that an archive contains.
  var archivedFields: HTTPFields { configuration.headerFields }
}
