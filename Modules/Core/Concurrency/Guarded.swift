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
/// On Linux the thread sanitizer reports false races for `Synchronization.Mutex`. `Scripts/sanitize thread` therefore builds
/// with `-DCURLEW_PTHREAD_LOCK`, which uses a pthread mutex instead.
public struct Guarded<State>: ~Copyable, @unchecked Sendable {  // Safe because of the lock.
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
      _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&state.pointee)
    }
  #else
    /// Carries a value across the mutex's `sending` boundary.
    // Safe because only this type passes values, and only under the lock.
    @usableFromInline struct Crossing<Value>: @unchecked Sendable {
      @usableFromInline var value: Value
      @inlinable init(_ value: consuming Value) { self.value = value }
    }

    @usableFromInline let mutex: Mutex<Crossing<State>>

    /// Protects `state` with a new lock.
    ///
    /// The state is moved in: a copy of a large one would cost more than the lock.
    @inlinable
    public init(_ state: consuming sending State) {
      mutex = Mutex(Crossing(state))
    }

    /// Runs `body` on the state, with exclusive access.
    ///
    /// - Parameter body: A short function that calls no foreign code and does not use the same `Guarded`.
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
