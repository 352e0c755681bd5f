public import CurlewCore
public import CurlewLoading
import Dispatch
public import Foundation
import HTTPTypes
import Synchronization

/// A request as an `Operation` that can be paused and resumed, and ends once.
///
/// It corresponds to `AFURLConnectionOperation` of AFNetworking 2, works in any `OperationQueue`, and is based on `Transfer`.
/// The transfer is created when the queue calls `start`; until then an operation is small, and a pause costs nothing.
///
/// ```swift
/// let queue = OperationQueue()
/// queue.maxConcurrentOperationCount = 4
/// let operation = URLConnectionOperation(try Request(.get, "https://example.com/"), over: loader)
/// operation.completionBlock = { print(operation.responseString ?? "nothing") }
/// queue.addOperation(operation)
/// ```
///
/// The end has these steps, in this order. The outcome is available (`error`, `responseData`, `value`). `isFinished` becomes
/// true, and the queue continues. On `completionQueue` the success or the failure block runs, then `completionBlock`.
/// `completionGroup` is left. The completion, event and progress blocks are released.
/// `OperationQueue.waitUntilAllOperationsAreFinished` waits only for `isFinished`, not for the blocks, so the main thread can
/// wait for operations whose blocks run on the main queue.
///
/// A paused operation is neither ready nor executing nor finished. If it is paused before its start, it does not start and
/// occupies no place of its queue; if it is paused later, it keeps its place. `cancel` ends it at once in any state, including
/// a pause. A queue removes a cancelled operation when it has a place for it. Never call `start` on an operation that is in a
/// queue.
///
/// Set properties and blocks before the start; every member may be used from any thread. An executing operation continues when
/// its last reference is released; a paused one is cancelled.
///
/// A subclass overrides steps of the loading, from `willSend(_:redirectedBy:)` to `didFail(with:)`. They have the order of
/// `ConnectionDelegate` and run one at a time on `callbackExecutor`. The transfer waits for each step that returns an answer,
/// and reads each piece of the body after the previous one was accepted. Call `super` first.
// Safe because all state is guarded, and Foundation's own is guarded by Foundation.
open class URLConnectionOperation: Operation, @unchecked Sendable {
  struct State: WaitableState {
    var life = OperationLife()
    var setup = OperationSetup()
    var request: Request
    var transfer: Transfer<OperationResult>?
    var link: OperationLink?
    var outcome: TransferOutcome<OperationResult>?
    var steps: OperationSteps?
    var work = WorkQueue<[OperationLife.Effect]>()
    var waiters = Waiters()
    /// Called when the outcome is available and the end was announced, on any thread.
    var earlyFollowers: [@Sendable () -> Void] = []
    /// Called after the app's own completion block.
    var followers: [@Sendable (URLConnectionOperation) -> Void] = []
    var serializationError: (any Error)?
    var isInBatch = false
    var isKnownToProcess = false
    /// Informs the process that the operation has finished.
    var processWork: (any ProcessWork)?
    /// Whether the blocks were submitted.
    var isConcluded = false
    /// Whether the blocks have returned.
    var isTold = false
  }

  /// The default for `responseLimit`: 64 MiB.
  public static let defaultResponseLimit = 64 << 20

  /// The loader that sends the request.
  public let loader: Loader
  let state: Guarded<State>
  /// The readiness according to `state.life`.
  ///
  /// It is kept outside the lock, because a queue reads it repeatedly for each waiting operation.
  let readiness = Atomic(Readiness.dependent)

  /// Creates an operation that waits for its queue, or for `start`.
  ///
  /// - Parameter loader: The loader that sends the request; it decides about redirects, cookies, credentials and the cache.
  public init(_ request: Request, over loader: Loader) {
    self.loader = loader
    state = Guarded(State(request: request))
    super.init()
  }

  deinit {
    let (isOver, work) = state.withLock { ($0.life.isOver, $0.processWork) }
    // An operation that is released before its end is not waited for.
    work?.end()
    if !isOver { forgetDependencies() }
  }

  // MARK: - Foundation's operation

  /// True, because it never blocks the thread that starts it.
  open override var isAsynchronous: Bool { true }

  /// Whether a queue may start the operation.
  ///
  /// Its dependencies must be finished, and it must be neither paused nor started. True again once it was cancelled or has
  /// finished.
  open override var isReady: Bool {
    switch readiness.load(ordering: .acquiring) {
    case Readiness.no: false
    case Readiness.dependent: super.isReady
    default: true
    }
  }

  /// Whether its request is in progress.
  open override var isExecuting: Bool { state.withLock { $0.life.state == .executing } }

  /// Whether it has its outcome.
  open override var isFinished: Bool { state.withLock { $0.life.isOver } }

  /// Whether it was cancelled.
  open override var isCancelled: Bool { state.withLock { $0.life.isCancelled } }

  /// Whether it is paused.
  public var isPaused: Bool { state.withLock { $0.life.state == .paused } }

  /// The current state.
  public var operationState: OperationState { state.withLock { $0.life.state } }

  /// Starts the operation; a queue calls this.
  ///
  /// If it is called during a pause, `resume` starts the operation.
  open override func start() { take(.start, as: .start) }

  /// Pauses the operation: no more bytes are read or sent.
  ///
  /// Before the start, this only keeps the queue from starting it. After the start, the connection is released if the request
  /// can be repeated (an idempotent method and a body that can be sent again), and `resume` sends the request again from the
  /// beginning. Other requests keep their connection without reading. `HTTPRequestOperation` keeps the received bytes instead.
  ///
  /// If another thread is carrying out an earlier call, such as the queue's `start`, it carries out this one after that. The event
  /// `paused` says when; an operation whose response is complete by then ends.
  ///
  /// - Returns: Whether it was ready or executing.
  @discardableResult
  public func pause() -> Bool { take(.pause, as: .pause) }

  /// Resumes the operation.
  ///
  /// If it was not started, it becomes ready again, and its queue starts it when there is a place.
  ///
  /// - Returns: Whether it was paused.
  @discardableResult
  public func resume() -> Bool { take(.resume, as: .resume) }

  /// Cancels the operation in any state; it has its outcome when this returns.
  ///
  /// `error` is then a `CancellationError`, and the failure block is called.
  open override func cancel() {
    guard take(.cancel, as: .cancel) else { return }
    // Between the two halves, the queue must learn that the operation is ready regardless of its dependencies. Foundation
    // reports that only for an operation that is not finished.
    super.cancel()
    settle(.cancelled, by: .cancelled)
  }

  /// Blocks the thread until the operation has its outcome; call it only from threads of the app's own.
  ///
  /// It waits for no block. Foundation's own would wait forever for an operation that is in no queue and is cancelled meanwhile,
  /// because only `start` announces such an end.
  ///
  /// A Swift task must not block: it would occupy one of the few threads that all tasks share, including those of the
  /// operation, and as many such tasks as the machine has cores would stop each other for ever. In a task outside the main
  /// thread, and on a transport's own thread, this returns at once, with or without an outcome, and reports
  /// `refused(.wait, in:)`; await `value` or `settled()` instead. Foundation's `waitUntilAllOperationsAreFinished()` does block,
  /// so no task must call it.
  open override func waitUntilFinished() {
    // Safe because the task is only compared with nil, inside the closure.
    let isInTask = withUnsafeCurrentTask { $0 != nil }
    guard !isInTask || Thread.isMainThread, !TransportThread.isCurrent else {
      if !isFinished { refuse(.wait) }
      return
    }
    let end = DispatchSemaphore(value: 0)
    let mustWait = state.withLock { state in
      if !state.life.isOver { state.earlyFollowers.append { end.signal() } }
      return !state.life.isOver
    }
    if mustWait { end.wait() }
  }

  /// A block that runs once at the end, after the success or failure block.
  ///
  /// It runs on `completionQueue`. Foundation's own completion block is never set, because it would run on any thread and
  /// before the other blocks.
  open override var completionBlock: (@Sendable () -> Void)? {
    get { state.withLock { $0.setup.completion } }
    set { change { $0.completion = newValue } }
  }

  /// The class, the state, the method and the URL without secrets.
  open override var description: String {
    let (now, request, isCancelled) = state.withLock { ($0.life.state, $0.request, $0.life.isCancelled) }
    let status = response.map { ", \($0.status.code)" } ?? ""
    return "<\(type(of: self)): \(now.rawValue)\(isCancelled ? ", cancelled" : ""), \(request)\(status)>"
  }

  /// Creates a new operation for the same request, to send it again.
  ///
  /// It is ready, whatever the state of this one. It has everything that decides about trust and credentials (`securityPolicy`,
  /// `credential`, `shouldUseCredentialStorage`), the blocks for redirects, challenges and the cache, the completion queue and,
  /// if this operation has not finished, the blocks for progress and the completion group. It does not have the completion
  /// blocks, which may retain this operation, nor the sink, values of the app or dependencies. A subclass returns an instance
  /// of its own class.
  open func copied() -> URLConnectionOperation {
    let copy = URLConnectionOperation(request, over: loader)
    copySettings(to: copy)
    return copy
  }

  // MARK: - Steps

  /// Called before a request is sent in place of the previous one.
  ///
  /// - Parameter response: The 3xx; nil if the request was only converted to canonical form.
  /// - Returns: The request to send; nil stops and makes the 3xx the response.
  open func willSend(_ request: Request, redirectedBy response: ResponseHead?) -> Request? {
    guard let answer = answers?.redirect else { return request }
    return answer(self, request, response)
  }

  /// Returns whether challenges of a protection space can be answered.
  open func canAuthenticate(against space: ProtectionSpace) -> Bool {
    answers?.protectionSpace?(self, space) ?? true
  }

  /// Returns whether stored credentials may be used, and new ones stored.
  ///
  /// By default it returns `shouldUseCredentialStorage`.
  open func mayUseStoredCredentials(for space: ProtectionSpace) -> Bool { shouldUseCredentialStorage }

  /// Called when a server or a proxy asks for credentials.
  ///
  /// It is also called for a certificate that was refused. The challenge block answers if there is one. Otherwise `credential`
  /// answers the first challenge of the request's own origin, and all others receive the default handling.
  ///
  /// - Parameter reply: Receives the answer, now or later, from any thread.
  open func didReceive(_ challenge: Challenge, reply: ChallengeReply) {
    if let answer = answers?.challenge { return answer(self, challenge, reply) }
    guard let credential, challenge.serverTrust == nil, challenge.previousFailureCount == 0,
      isOwn(challenge.protectionSpace)
    else { return reply(.defaultHandling) }
    reply(.use(credential))
  }

  /// Whether the server of the request asks, and not a proxy or a server to which it was redirected.
  private func isOwn(_ space: ProtectionSpace) -> Bool { !space.isProxy && (try? request.origin) == space.origin }

  /// Called when the challenge needs no answer any more; the operation fails.
  open func didCancel(_ challenge: Challenge) {}

  /// Called when bytes of the request's body were sent, before the response.
  ///
  /// It is called at most ten times per second.
  ///
  /// - Parameters:
  ///   - bytes: The number of bytes since the last call.
  ///   - total: The number of bytes so far; starts over when the request is sent again.
  ///   - expected: The number of bytes in total; nil if unknown.
  open func didSendBodyData(_ bytes: Int64, total: Int64, expected: Int64?) {}

  /// Returns a new body in place of one that can only be sent once.
  ///
  /// - Returns: The body; nil fails the operation.
  open func needNewBody(for request: Request) -> Body? { answers?.newBody?(self, request) }

  /// Called when a head has arrived; everything before it is incomplete.
  open func didReceive(_ response: ResponseHead) {}

  /// Called after a piece of the body was stored.
  ///
  /// The next piece is not read before this returns.
  open func didReceive(_ data: Data) {}

  /// Called before a cache stores the response.
  open func willCache(_ response: ResponseHead) -> CacheAnswer { answers?.cache?(self, response) ?? .store }

  /// Called when the outcome is a success and `isFinished` is true.
  open func didFinishLoading() {}

  /// Called when the operation has failed or was cancelled, and `isFinished` is true.
  open func didFail(with error: any Error) {}

  // MARK: - What the operations of this module change

  /// Whether the class has steps that an attempt must wait for.
  class var hasOwnSteps: Bool { self != URLConnectionOperation.self }

  /// The settings of the exchange to which the operation's own answers are added; nil means the loader's.
  var ownSettings: ExchangeSettings? { nil }

  /// Creates the transfer that does the work.
  ///
  /// - Parameter settings: Those with the operation's own answers; nil if it has none.
  func makeTransfer(_ link: OperationLink, _ settings: ExchangeSettings?) throws -> Transfer<OperationResult> {
    Transfer(loader, try configuration(link, settings))
  }

  /// Creates the configuration of the transfer.
  ///
  /// Its closures refer to the operation only through the link.
  func configuration(
    _ link: OperationLink, _ settings: ExchangeSettings?
  ) throws
    -> Transfer<OperationResult>.Configuration
  {
    let (request, sink, limit) = state.withLock { ($0.request, $0.setup.sink, $0.setup.responseLimit) }
    var configuration = Transfer<OperationResult>.Configuration(
      request, to: stepped(sink ?? MemorySink(limit: limit), link), settings: settings
    ) { result in
      OperationResult(head: result.head, content: result.content, value: result.content.data ?? Data())
    }
    configuration.pausing = .release(after: .zero)
    return configuration
  }

  private var answers: OperationSetup.Answers.Values? { state.withLock { $0.setup.answers }?.values }
}
