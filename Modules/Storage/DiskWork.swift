import CurlewCore
import Glibc

/// Runs calls that block on the disk on a thread of its own.
///
/// They block neither a transport nor Swift's few pool threads.
///
/// Work runs one piece after another, in the order in which it was submitted. The thread starts with the first piece
/// and ends with the last reference to the instance. Several users can share an instance; work that must not wait for
/// another user's slow disk needs an instance of its own.
///
/// ```swift
/// let disk = DiskWork()
/// try await disk.run { () throws(JournalError) in try journal.synchronize() }
/// ```
public final class DiskWork: Sendable {
  private let thread = WorkThread()

  /// Creates an instance; no thread is started yet.
  public init() {}

  deinit { thread.stop() }

  /// Runs a piece of work on the thread and returns its result.
  ///
  /// Cancelling the task neither interrupts nor skips the work, so files stay in the state that the caller arranged. If
  /// the system cannot start a thread, the work runs on the caller's thread.
  ///
  /// - Parameter work: What to do. It must not wait for other work of the same instance.
  /// - Throws: What the work throws.
  public func run<Output: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    // The instance outlives its work, since this call holds it.
    let result = await withUnsafeContinuation { (continuation: UnsafeContinuation<Result<Output, Failure>, Never>) in
      thread.add { continuation.resume(returning: Result(catching: work)) }
    }
    return try result.get()
  }

  /// Submits a piece of work and returns at once; it runs in order with other work.
  ///
  /// It is for callers that must not wait, such as a sink on a transport's thread. If the system cannot start a thread, the
  /// work runs before the call returns.
  ///
  /// - Parameter work: The work, which must not wait for other work of the same instance.
  public func enqueue(_ work: @escaping @Sendable () -> Void) {
    // The work holds the instance, so that its thread does not end earlier.
    thread.add { withExtendedLifetime(self, work) }
  }
}

/// The thread of a `DiskWork`, with its queue of work.
// Safe because the state is guarded, and the semaphore's functions may be called from any thread.
private final class WorkThread: @unchecked Sendable {
  private struct State {
    var waiting: [@Sendable () -> Void] = []
    var next = 0
    var isRunning = false
    var isStopped = false

    mutating func take() -> (@Sendable () -> Void)? {
      guard next < waiting.count else { return nil }
      defer {
        next += 1
        // Compact the list from time to time, so that removing an element stays cheap for any length.
        if next == waiting.count || next == 1_024 {
          waiting.removeFirst(next)
          next = 0
        }
      }
      return waiting[next]
    }
  }

  private let state = Guarded(State())
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func add(_ work: @escaping @Sendable () -> Void) {
    let mustStart = state.withLock { state in
      state.waiting.append(work)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if mustStart, !start() {
      state.withLock { $0.isRunning = false }
      while let work = state.withLock({ $0.take() }) { work() }
      return
    }
    sem_post(semaphore)
  }

  func stop() {
    state.withLock { $0.isStopped = true }
    sem_post(semaphore)
  }

  private func start() -> Bool {
    var thread = pthread_t()
    let this = Unmanaged.passRetained(self)
    let code = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<WorkThread>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, this.toOpaque())
    guard code == 0 else {
      this.release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  private func run() {
    HiddenCalls.nameThread("curlew-disk")
    while true {
      while sem_wait(semaphore) != 0 {}
      let (work, isStopped) = state.withLock { state in (state.take(), state.isStopped) }
      if let work { work() } else if isStopped { return }
    }
  }
}
