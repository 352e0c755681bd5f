import Glibc

/// Knows the threads on which transports move bytes.
///
/// Drain sinks, trust evaluators and some observers run there. What must never wait on such a thread can find out that
/// it is on one.
public enum TransportThread {
  /// Nil where the process has no key left; then no thread is known.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  /// Says that the calling thread is one, for as long as it lives.
  public static func enter() {
    guard let key else { return }
    // Any pointer but nil does; it is never read.
    pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
  }

  /// Whether the calling thread is one.
  public static var isCurrent: Bool {
    guard let key else { return false }
    return pthread_getspecific(key) != nil
  }
}
