#if CURLEW_PTHREAD_LOCK
  public import Glibc
#else
  public import Synchronization
#endif

/// State behind the project's one lock.
///
/// Each class with shared mutable state owns one `Guarded` around one state value whose `mutating` methods decide what
/// to do next; the class does it after the lock is released. Nothing foreign, no callback and no `await`, runs inside.
///
/// `Synchronization.Mutex` gives false race reports under the thread sanitizer on Linux, so `Scripts/sanitize thread`
/// builds with `-DCURLEW_PTHREAD_LOCK`, which puts a pthread mutex in its place.
public struct Guarded<State>: ~Copyable, @unchecked Sendable {  // Safe because of the lock.
  #if CURLEW_PTHREAD_LOCK
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let state: UnsafeMutablePointer<State>

    /// Puts `state` behind a lock of its own.
    public init(_ state: sending State) {
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

    /// Runs `body` on the state while no one else can reach it.
    ///
    /// - Parameter body: Short and closed: it calls no foreign code and does not re-enter the same `Guarded`.
    @inlinable
    public borrowing func withLock<Result, Failure: Error>(
      _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&state.pointee)
    }
  #else
    /// What crosses the mutex's `sending` boundary.
    // Safe because a value is only handed over under the lock, by this type.
    @usableFromInline struct Crossing<Value>: @unchecked Sendable {
      @usableFromInline var value: Value
      @inlinable init(_ value: Value) { self.value = value }
    }

    @usableFromInline let mutex: Mutex<Crossing<State>>

    /// Puts `state` behind a lock of its own.
    @inlinable
    public init(_ state: sending State) {
      mutex = Mutex(Crossing(state))
    }

    /// Runs `body` on the state while no one else can reach it.
    ///
    /// - Parameter body: Short and closed: it calls no foreign code and does not re-enter the same `Guarded`.
    @inlinable
    public borrowing func withLock<Result, Failure: Error>(
      _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      try mutex.withLock { (crossing: inout sending Crossing<State>) throws(Failure) -> Crossing<Result> in
        Crossing<Result>(try body(&crossing.value))
      }.value
    }
  #endif
}
