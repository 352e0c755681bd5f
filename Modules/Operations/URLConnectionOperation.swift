public import CurlewCore
public import CurlewLoading
public import Foundation
import HTTPTypes

/// A request as an `Operation`: it works in any `OperationQueue`, can be paused and resumed, and ends exactly once.
///
/// It is the operation that AFNetworking 2 called `AFURLConnectionOperation`, as a shape of `Transfer`. The transfer is made
/// when the queue calls `start`; until then an operation is small, and a pause costs nothing.
///
/// ```swift
/// let queue = OperationQueue()
/// queue.maxConcurrentOperationCount = 4
/// let operation = URLConnectionOperation(try Request(.get, "https://example.com/"), over: loader)
/// operation.completionBlock = { print(operation.responseString ?? "nothing") }
/// queue.addOperation(operation)
/// ```
///
/// At the end, in this order: the outcome is there (`error`, `responseData`, `value`); `isFinished` reads true, and the queue
/// goes on; on `completionQueue` the success or the failure block runs, then `completionBlock`; `completionGroup` is left; the
/// completion, event and progress blocks are released. `OperationQueue.waitUntilAllOperationsAreFinished` waits for the second of these and not for the
/// blocks, so that the main thread can wait for operations whose blocks run on the main queue.
///
/// A paused operation is neither ready nor executing nor finished. Paused before its start it does not begin, and takes no
/// place of its queue; paused later it keeps its place. `cancel` ends it at once in any state, the paused one too. A queue
/// removes a cancelled operation when it has a place for it. Never call `start` of an operation that is in a queue.
///
/// Properties and blocks are to be set before the start; every member may be used from any thread. An operation that executes
/// goes on when nobody holds it; one that is paused and that nobody holds is cancelled.
///
/// A subclass overrides steps of the loading, from `willSend(_:redirectedBy:)` to `didFail(with:)`. They have the order of
/// `ConnectionDelegate` and run one at a time on `callbackExecutor`; the transfer waits for each that has an answer, and reads
/// each piece of the body when the one before was taken. Call `super` first.
// Safe because all state is guarded, and Foundation's own is guarded by Foundation.
open class URLConnectionOperation: Operation, @unchecked Sendable {
  struct State: WaitableState {
    var life = OperationLife()
    var setup = OperationSetup()
    var request: Request
    var engine: (any OperationEngine)?
    var link: OperationLink?
    var outcome: TransferOutcome<OperationResult>?
    var steps: OperationSteps?
    var outbox: [OperationLife.Effect] = []
    var isWorking = false
    var waiters = Waiters()
    /// Called when the outcome is there and the end announced, on any thread.
    var earlyFollowers: [@Sendable () -> Void] = []
    /// Called after the app's own completion block.
    var followers: [@Sendable (URLConnectionOperation) -> Void] = []
    var serializationError: (any Error)?
    var isInBatch = false
    var isKnownToProcess = false
    /// Tells the process that the operation is over.
    var processWork: (any ProcessWork)?
    /// Whether the blocks were handed over.
    var isConcluded = false
  }

  /// The most bytes of a response in memory, unless told otherwise: 64 MiB.
  public static let defaultResponseLimit = 64 << 20

  /// Sends the request.
  public let loader: Loader
  let state: Guarded<State>

  /// Creates an operation that waits for its queue, or for `start`.
  ///
  /// - Parameter loader: Sends the request; it decides about redirects, cookies, credentials and the cache.
  public init(_ request: Request, over loader: Loader) {
    self.loader = loader
    state = Guarded(State(request: request))
    super.init()
  }

  deinit {
    let (isOver, work) = state.withLock { ($0.life.isOver, $0.processWork) }
    // One that is released before its end is not waited for.
    work?.end()
    if !isOver { forgetDependencies() }
  }

  // MARK: - Foundation's operation

  /// True: it never holds the thread that starts it.
  open override var isAsynchronous: Bool { true }

  /// Whether its dependencies are finished and it is neither paused nor started; true again once it is cancelled or over.
  open override var isReady: Bool {
    let (isReady, isCancelled) = state.withLock { ($0.life.isReady, $0.life.isCancelled || $0.life.isOver) }
    return isReady && (isCancelled || super.isReady)
  }

  /// Whether its request is under way.
  open override var isExecuting: Bool { state.withLock { $0.life.state == .executing } }

  /// Whether it has its outcome.
  open override var isFinished: Bool { state.withLock { $0.life.isOver } }

  /// Whether it was cancelled.
  open override var isCancelled: Bool { state.withLock { $0.life.isCancelled } }

  /// Whether it is paused.
  public var isPaused: Bool { state.withLock { $0.life.state == .paused } }

  /// The current state.
  public var operationState: OperationState { state.withLock { $0.life.state } }

  /// Starts it; a queue calls this.
  ///
  /// A start that comes while it is paused is made good by `resume`.
  open override func start() { take(.start, as: .start) }

  /// Pauses it: nothing more is read or sent.
  ///
  /// Before the start it only keeps the queue from starting it. Later the connection is let go where the request can be
  /// repeated (an idempotent method and a body that can be sent again), and `resume` sends it again from the beginning;
  /// other requests keep their connection without reading. `HTTPRequestOperation` keeps the bytes instead.
  ///
  /// - Returns: Whether it was ready or executing.
  @discardableResult
  public func pause() -> Bool { take(.pause, as: .pause) }

  /// Resumes it.
  ///
  /// One that was not started becomes ready again, and its queue starts it when there is a place.
  ///
  /// - Returns: Whether it was paused.
  @discardableResult
  public func resume() -> Bool { take(.resume, as: .resume) }

  /// Cancels it, from any state; the outcome is there when this returns.
  ///
  /// `error` is then a `CancellationError`, and the failure block is called.
  open override func cancel() {
    guard take(.cancel, as: .cancel) else { return }
    // Between the two halves: a queue must learn that the operation is ready in spite of its dependencies, and Foundation
    // says so only of one that is not finished.
    super.cancel()
    settle(.cancelled, by: .cancelled)
  }

  /// Runs once at the end, on `completionQueue`, after the success or failure block.
  ///
  /// Foundation's own completion block is never set: it would run on any thread and before the others.
  open override var completionBlock: (@Sendable () -> Void)? {
    get { state.withLock { $0.setup.completion } }
    set { change { $0.completion = newValue } }
  }

  /// The class, its state, the method and the URL without secrets.
  open override var description: String {
    let (now, request, isCancelled) = state.withLock { ($0.life.state, $0.request, $0.life.isCancelled) }
    let status = response.map { ", \($0.status.code)" } ?? ""
    return "<\(type(of: self)): \(now.rawValue)\(isCancelled ? ", cancelled" : ""), \(request)\(status)>"
  }

  /// Creates a new operation for the same request, to send it again.
  ///
  /// It is ready, whatever became of this one, and has its blocks for redirects, challenges and the cache, its completion
  /// queue and, of one that is not over, its blocks for progress and its completion group. It has neither the completion blocks, which may hold this operation, nor the
  /// sink, credential, policy, values of the app or dependencies. A subclass returns one of its own.
  open func copied() -> URLConnectionOperation {
    let copy = URLConnectionOperation(request, over: loader)
    copySettings(to: copy)
    return copy
  }

  // MARK: - Steps

  /// A request is about to be sent in place of the one before.
  ///
  /// - Parameter response: The 3xx; nil where the request was only put into canonical form.
  /// - Returns: What to send; nil to stop, which makes the 3xx the response.
  open func willSend(_ request: Request, redirectedBy response: ResponseHead?) -> Request? {
    guard let answer = answers?.redirect else { return request }
    return answer(self, request, response)
  }

  /// Whether challenges of a protection space can be answered.
  open func canAuthenticate(against space: ProtectionSpace) -> Bool {
    answers?.protectionSpace?(self, space) ?? true
  }

  /// Whether stored credentials may be used, and new ones kept: `shouldUseCredentialStorage`.
  open func mayUseStoredCredentials(for space: ProtectionSpace) -> Bool { shouldUseCredentialStorage }

  /// A server or a proxy asks for credentials, or has shown a certificate that was refused.
  ///
  /// The challenge block answers where there is one. Otherwise `credential` is the answer to the first challenge, and every
  /// other one is handled as without an operation.
  ///
  /// - Parameter reply: Takes the answer, now or later, from any thread.
  open func didReceive(_ challenge: Challenge, reply: ChallengeReply) {
    if let answer = answers?.challenge { return answer(self, challenge, reply) }
    guard let credential, challenge.serverTrust == nil, challenge.previousFailureCount == 0 else {
      return reply(.defaultHandling)
    }
    reply(.use(credential))
  }

  /// The answer to this challenge is not needed any more; the operation fails.
  open func didCancel(_ challenge: Challenge) {}

  /// Bytes of the request's body were sent, at most ten times a second, until the response comes.
  ///
  /// - Parameters:
  ///   - bytes: How many since the last call.
  ///   - total: How many of this sending; begins anew when the request is sent again.
  ///   - expected: How many it will be; nil when that is not known.
  open func didSendBodyData(_ bytes: Int64, total: Int64, expected: Int64?) {}

  /// A body that can be sent once is needed again.
  ///
  /// - Returns: Another one; nil where there is none, and the operation fails.
  open func needNewBody(for request: Request) -> Body? { answers?.newBody?(self, request) }

  /// A head arrived; what came before it is incomplete.
  open func didReceive(_ response: ResponseHead) {}

  /// A piece of the body arrived, and is kept already; the next one is not read before this returns.
  open func didReceive(_ data: Data) {}

  /// A cache would store the response.
  open func willCache(_ response: ResponseHead) -> CacheAnswer { answers?.cache?(self, response) ?? .store }

  /// All of it is there: the outcome is a success, and `isFinished` reads true.
  open func didFinishLoading() {}

  /// It failed or was cancelled: the outcome is there, and `isFinished` reads true.
  open func didFail(with error: any Error) {}

  // MARK: - What the operations of this module change

  /// Whether the steps of this very class do nothing that an attempt would have to wait for.
  class var hasOwnSteps: Bool { self != URLConnectionOperation.self }

  /// Creates what does the work.
  func makeEngine(_ link: OperationLink, _ settings: ExchangeSettings?) throws -> any OperationEngine {
    Transfer(loader, try configuration(link, settings))
  }

  /// Creates the transfer's configuration; its closures hold the operation through the link only.
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
