import CLibcurl
import CurlewCore
import Glibc

/// Stops the loops before the process cleans up OpenSSL.
///
/// `exit` runs OpenSSL's cleanup while all other threads continue, and a loop that is using TLS would access freed memory.
/// Exit handlers run newest first. This one is registered right after OpenSSL's own, so it runs before. It waits until each
/// loop uses neither OpenSSL nor libcurl, and keeps the loop there.
enum ProcessExit {
  private struct Entry {
    var thread: pthread_t
    var isHeld = false
  }

  private struct State {
    var loops: [ObjectIdentifier: (loop: EventLoop, entry: Entry)] = [:]
    var isExiting = false
    /// Readable when a loop has been held since the last look; -1 while nobody waits, or without a free descriptor.
    var bell: Int32 = -1
  }

  /// How long to wait for a loop that a callback of the app blocks.
  private static let patience: UInt64 = 2_000_000_000
  private static let state = Guarded(State())

  /// Registers the handler; called once, when OpenSSL is initialized.
  static func watch() { atexit { ProcessExit.holdAll() } }

  /// Records a loop that begins; called on its own thread.
  static func began(_ loop: EventLoop) {
    let isExiting = state.withLock { state -> Bool in
      state.loops[ObjectIdentifier(loop)] = (loop, Entry(thread: pthread_self()))
      return state.isExiting
    }
    if isExiting { hold(loop) }
  }

  /// Records a loop that has released everything.
  static func ended(_ loop: EventLoop) { _ = state.withLock { $0.loops.removeValue(forKey: ObjectIdentifier(loop)) } }

  /// Blocks a loop's own thread until the process has ended.
  static func hold(_ loop: EventLoop) -> Never {
    state.withLock { state in
      state.loops[ObjectIdentifier(loop)]?.entry.isHeld = true
      eventfd_write(state.bell, 1)
    }
    while true { pause() }
  }

  private static func holdAll() {
    let ours = pthread_self()
    let bell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    let loops = state.withLock { state -> [EventLoop] in
      state.isExiting = true
      state.bell = bell
      // If the app calls `exit` on a loop's thread, that loop does nothing more.
      for (id, known) in state.loops where pthread_equal(known.entry.thread, ours) != 0 {
        state.loops[id]?.entry.isHeld = true
      }
      return state.loops.values.map(\.loop)
    }
    for loop in loops { loop.post(.hold) }
    let end = monotonicNanoseconds() + patience
    while state.withLock({ $0.loops.values.contains { !$0.entry.isHeld } }), monotonicNanoseconds() < end {
      var rung = pollfd(fd: bell, events: Int16(POLLIN), revents: 0)
      // A loop that ends by itself does not ring.
      poll(&rung, 1, 1)
      var count: eventfd_t = 0
      eventfd_read(bell, &count)
    }
  }
}
