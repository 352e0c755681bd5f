import Glibc

/// Knows the threads on which transports move bytes.
///
/// Drain sinks, trust evaluators and some observers run there. Code that must never block such a thread can check
/// whether it runs on one.
public enum TransportThread {
  /// The key that marks a thread; nil if the process has no key left.
  ///
  /// Without it, no thread is known as a transport's.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  /// Marks the calling thread as a transport's, for its lifetime.
  public static func enter() {
    guard let key else { return }
    // Any pointer except nil works; it is never dereferenced.
    pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
  }

  /// Whether the calling thread is a transport's.
  public static var isCurrent: Bool {
    guard let key else { return false }
    return pthread_getspecific(key) != nil
  }
}
