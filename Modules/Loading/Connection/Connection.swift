public import CurlewCore
public import FoundationEssentials
import Glibc

/// One request that reports to a delegate, like `NSURLConnection`.
///
/// It is based on `Transfer`: it makes one attempt, and forwards the loader's redirects, challenges and cache questions to its
/// delegate. It delivers the body in pieces, and reads each piece only after the delegate has accepted the previous one.
/// `ConnectionDelegate` defines the order of the calls. Safe from any isolation.
///
/// ```swift
/// let connection = Connection(request, over: loader, delegate: delegate)
/// connection.start()
/// ```
///
/// A started connection continues to its end when its last reference is released.
public final class Connection: Sendable {
  /// The request as given.
  public let originalRequest: Request
  private let relay: ConnectionRelay
  private let transfer: Transfer<TransferResult>

  /// Creates a connection that waits for `start`.
  ///
  /// - Parameters:
  ///   - delegate: The delegate, which is retained until the end. It answers all hooks of the settings except `newBody`, which
  ///     is asked only if the delegate has no new body.
  ///   - executor: Where the delegate is called; it must keep the order of its work. The default is a serial queue of the
  ///     connection's own. `CallbackExecutor.isolated(to:)` calls the delegate on an actor.
  ///   - settings: The settings of the exchange; nil uses the loader's.
  public init(
    _ request: Request, over loader: Loader, delegate: any ConnectionDelegate,
    callingOn executor: CallbackExecutor = .serial(), settings: ExchangeSettings? = nil
  ) {
    originalRequest = request
    var settings = settings ?? loader.settings
    let relay = ConnectionRelay(delegate, executor)
    relay.answer(&settings.hooks)
    if !request.body.isEmpty { settings.observers.append(ConnectionUpload(relay)) }
    self.relay = relay
    transfer = Transfer(loader, request, to: ConnectionSink(relay: relay), settings: settings)
  }

  /// Starts the connection.
  ///
  /// - Returns: False if it was started or cancelled before.
  @discardableResult
  public func start() -> Bool {
    guard relay.begin(self) else { return false }
    transfer.onFinish(on: relay.executor) { [relay] in relay.end($0) }
    return transfer.start()
  }

  /// Cancels the connection and releases the delegate.
  ///
  /// If it is called on the executor, for example from a delegate method, the delegate is not called again. Otherwise a call
  /// that is already running still completes.
  ///
  /// - Returns: False if the connection had already ended.
  @discardableResult
  public func cancel() -> Bool {
    guard relay.cancel() else { return false }
    transfer.cancel()
    return true
  }

  /// The request that was sent last, after redirects; nil before the first.
  public var currentRequest: Request? { relay.currentRequest ?? transfer.request }

  /// The progress of the response's body.
  public var downloadProgress: TransferProgressSequence { transfer.downloadProgress }

  /// The progress of the request's body, which continues after a response.
  public var uploadProgress: TransferProgressSequence { transfer.uploadProgress }

  /// The measurements so far, one for each hop that was sent.
  public var metrics: [ExchangeMetrics] { transfer.metrics }

  /// Waits until the connection has ended, including the last delegate call.
  ///
  /// Do not await it from work that occupies the executor.
  public func settled() async {
    await transfer.settled()
    await relay.flush()
  }
}

extension NetworkError.Kind {
  /// The load would need the calling thread, which it would block.
  public static let wouldDeadlock = NetworkError.Kind(rawValue: "would-deadlock")
}

extension Connection {
  /// Loads a request and blocks the calling thread until the response is complete.
  ///
  /// Call it only from threads of the app's own. A Swift task must not block: it would occupy one of the few threads that all
  /// tasks share, including those of the load. A call from a task is therefore rejected; that includes hooks, interceptors and
  /// callbacks on `CallbackExecutor.serial()`. A call from a transport's own thread is rejected as well. If hooks of the
  /// settings need the main actor, the main thread must not call it either, which cannot be detected.
  ///
  /// - Parameters:
  ///   - limit: The most bytes of the body, 0 or more.
  ///   - settings: The settings of the exchange; nil uses the loader's.
  /// - Throws: `NetworkError` of kind `wouldDeadlock`, before anything is sent; the errors of `Loader.data`.
  public static func sendSynchronousRequest(
    _ request: Request, over loader: Loader, upTo limit: Int, settings: ExchangeSettings? = nil
  ) throws -> (Data, ResponseHead) {
    // Safe because the task is only compared with nil, inside the closure.
    let isInTask = withUnsafeCurrentTask { $0 != nil }
    guard !isInTask, !TransportThread.isCurrent else {
      throw NetworkError(
        .wouldDeadlock, stage: .preparing,
        message: isInTask
          ? "A task must not wait for a thread." : "The transport's own thread must not wait for the transport.",
        advice: isInTask ? "Await Loader.data instead." : "Load from another thread.")
    }
    let transfer = Transfer(loader, request, to: .memory(limit: limit), settings: settings)
    let blocker = Blocker()
    let outcome = Guarded<TransferOutcome<TransferResult>>(.cancelled)
    transfer.onFinish(on: CallbackExecutor { $0() }) { ended in
      outcome.withLock { $0 = ended }
      blocker.open()
    }
    transfer.start()
    blocker.wait()
    let result = try outcome.withLock { $0 }.get()
    return (result.content.data ?? Data(), result.head)
  }
}

/// Blocks one thread until another one releases it.
private final class Blocker: Sendable {
  // Safe because a POSIX semaphore may be used by several threads, and is freed with the last reference.
  private nonisolated(unsafe) let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func open() { sem_post(semaphore) }

  func wait() {
    while sem_wait(semaphore) != 0, errno == EINTR {}
  }
}

/// Delivers response and body to the delegate, one piece at a time.
struct ConnectionSink: TransferSink {
  let relay: ConnectionRelay

  func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter {
    // Queued upload reports are delivered before the response, and none afterwards.
    try await relay.ask { [relay] connection, delegate in
      relay.respond()
      delegate.connection(connection, didReceive: head)
    }
    return PieceWriter(ReplacingParts(head)) { [relay] piece in
      try await relay.ask { connection, delegate in
        switch piece {
        case .head(let part): delegate.connection(connection, didReceive: part)
        case .data(let data): delegate.connection(connection, didReceive: data)
        }
      }
    }
  }

  /// Returns `.streamed`, because the delegate may take its time.
  var delivery: ResponseDelivery? { .streamed }
}
