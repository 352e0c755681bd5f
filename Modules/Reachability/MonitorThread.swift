import CLinux
import Glibc

/// Starts the threads of monitors.
enum MonitorThread {
  private final class Work {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs work on a detached thread.
  ///
  /// - Parameter name: The thread's name for debuggers, at most 15 bytes.
  /// - Returns: False when no thread could be started.
  static func start(_ name: StaticString, _ run: @escaping @Sendable () -> Void) -> Bool {
    var attributes = pthread_attr_t()
    guard pthread_attr_init(&attributes) == 0 else { return false }
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // The resolver's plug-ins need most of this.
    pthread_attr_setstacksize(&attributes, 512 << 10)
    // The program's own threads handle signals; the new thread inherits this mask.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let work = Unmanaged.passRetained(
      Work {
        rename(name)
        run()
      })
    var thread = pthread_t()
    let code = pthread_create(
      &thread, &attributes,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, work.toOpaque())
    guard code == 0 else {
      work.release()
      return false
    }
    return true
  }

  /// Names the calling thread for debuggers, if the system allows it.
  private static func rename(_ name: StaticString) {
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    defer { close(file) }
    _ = name.withUTF8Buffer { write(file, $0.baseAddress, $0.count) }
  }
}
