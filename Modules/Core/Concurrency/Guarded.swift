#if CURLEW_PTHREAD_LOCK
public import Glibc
#else
public import Synchronization
#endif

/// Protects state with the project's one kind of lock.
///
/// Each class with shared mutable state owns one `Guarded` around one state value. The `mutating` methods of the state decide
/// what to do next; the class does it after releasing the lock. No foreign code, callback or `await` runs under the lock.
///
/// It is `Synchronization.Mutex` under another name, because the thread sanitizer reports false races for a `Mutex` on Linux:
/// `Scripts/sanitize thread` builds with `-DCURLEW_PTHREAD_LOCK`, which uses a pthread mutex instead. The rules of `Mutex` hold in
/// both: what is not `Sendable` can only be sent into the state and out of it, so no reference to it is left on the other side.
public struct Guarded<State>: ~Copyable {
  #if CURLEW_PTHREAD_LOCK
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline let state: UnsafeMutablePointer<State>

  /// Protects `state` with a new lock.
  public init(_ state: consuming sending State) {
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    self.state = .allocate(capacity: 1)
    self.state.initialize(to: state)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Runs `body` on the state, with exclusive access.
  ///
  /// - Parameter body: A short function that calls no foreign code and does not use the same `Guarded`.
  @inlinable
  public borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state.pointee)
  }
  #else
  @usableFromInline let mutex: Mutex<State>

  /// Protects `state` with a new lock.
  ///
  /// The state is moved in: a copy of a large one would cost more than the lock.
  @inlinable
  public init(_ state: consuming sending State) { mutex = Mutex(state) }

  /// Runs `body` on the state, with exclusive access.
  ///
  /// - Parameter body: A short function that calls no foreign code and does not use the same `Guarded`.
  @inlinable
  public borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock(body)
  }
  #endif
}

#if CURLEW_PTHREAD_LOCK
// Safe because of the lock, and because `withLock` only sends values in and out.
extension Guarded: @unchecked Sendable {}
#else
extension Guarded: Sendable {}
#endif
