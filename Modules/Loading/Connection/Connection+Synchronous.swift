public import CurlewCore
public import FoundationEssentials
import Glibc

extension NetworkError.Kind {
  /// The calling thread is one that the load needs to go on.
  public static let wouldDeadlock = NetworkError.Kind(rawValue: "would-deadlock")
}

extension Connection {
  /// Loads a request and holds the calling thread until all of it is there.
  ///
  /// For threads of the app's own alone. A Swift task must not wait like this: it would hold one of the few threads that
  /// all tasks share, those of the load included. So a call from a task, from a hook, an interceptor or a callback on
  /// `CallbackExecutor.serial()` is refused, and so is one from a transport's own thread. Where hooks of the settings need
  /// the main actor, the main thread must not wait either; that cannot be seen from here.
  ///
  /// - Parameters:
  ///   - limit: The most bytes of the body, 0….
  ///   - settings: What the exchange may use; nil takes the loader's.
  /// - Throws: `NetworkError` of kind `wouldDeadlock`, before anything is sent; what `Loader.data` throws.
  public static func sendSynchronousRequest(
    _ request: Request, over loader: Loader, upTo limit: Int, settings: ExchangeSettings? = nil
  ) throws -> (Data, ResponseHead) {
    // Safe because the task is only compared with nil, inside the closure.
    let isInTask = withUnsafeCurrentTask { $0 != nil }
    guard !isInTask, !TransportThread.isCurrent else {
      throw NetworkError(
        .wouldDeadlock, stage: .preparing,
        message: isInTask
          ? "A task must not wait for a thread; await Loader.data instead."
          : "The transport's own thread must not wait for the transport; load from another thread.")
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

/// Holds one thread until another lets it go.
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
