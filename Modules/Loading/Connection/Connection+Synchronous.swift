public import CurlewCore
public import FoundationEssentials
import Glibc

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
