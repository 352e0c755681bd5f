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
/// both: a reference to what is not `Sendable` cannot be stored in the state and kept outside. With both, Swift 6.3 accepts a closure
/// that returns such a reference out of the state (`withLock { $0 }`), so what a closure returns must be `Sendable`.
///
/// Everything is inlinable, like `Waiters`. Other modules see that only because the struct is `@usableFromInline` and the import is public.
@usableFromInline package struct Guarded<State>: ~Copyable {
  #if CURLEW_PTHREAD_LOCK
  @usableFromInline package let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline package let state: UnsafeMutablePointer<State>

  /// Protects `state` with a new lock.
  package init(_ state: consuming sending State) {
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
  package borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state.pointee)
  }
  #else
  @usableFromInline package let mutex: Mutex<State>

  /// Protects `state` with a new lock.
  ///
  /// The state is moved in: a copy of a large one would cost more than the lock.
  @inlinable
  package init(_ state: consuming sending State) { mutex = Mutex(state) }

  /// Runs `body` on the state, with exclusive access.
  ///
  /// - Parameter body: A short function that calls no foreign code and does not use the same `Guarded`.
  @inlinable
  package borrowing func withLock<Result, Failure: Error>(
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
