import CurlewCore
import Glibc

/// Stops the loops before the process takes OpenSSL down.
///
/// `exit` runs OpenSSL's cleanup while all other threads go on, and a loop in the middle of TLS would use what was freed.
/// Exit handlers run newest first: this one is registered right after OpenSSL has registered its own, and waits until each
/// loop has come to a place where it uses neither OpenSSL nor libcurl, and stays there.
enum ProcessExit {
  private struct Entry {
    var thread: pthread_t
    var isHeld = false
  }

  private struct State {
    var loops: [ObjectIdentifier: (loop: EventLoop, entry: Entry)] = [:]
    var isExiting = false
  }

  /// A loop that a callback of the app's holds up for longer than this is left to itself.
  private static let patience: UInt64 = 2_000_000_000
  private static let state = Guarded(State())

  /// Registers the handler; called once, when OpenSSL is set up.
  static func watch() { atexit { ProcessExit.holdAll() } }

  /// A loop begins, on its own thread.
  static func began(_ loop: EventLoop) {
    let isExiting = state.withLock { state -> Bool in
      state.loops[ObjectIdentifier(loop)] = (loop, Entry(thread: pthread_self()))
      return state.isExiting
    }
    if isExiting { hold(loop) }
  }

  /// A loop has let go of all that it held.
  static func ended(_ loop: EventLoop) { _ = state.withLock { $0.loops.removeValue(forKey: ObjectIdentifier(loop)) } }

  /// Stays here until the process is gone; called on a loop's own thread.
  static func hold(_ loop: EventLoop) -> Never {
    state.withLock { $0.loops[ObjectIdentifier(loop)]?.entry.isHeld = true }
    while true { pause() }
  }

  private static func holdAll() {
    let ours = pthread_self()
    let loops = state.withLock { state -> [EventLoop] in
      state.isExiting = true
      // A loop on whose thread the app calls `exit` does nothing more.
      for (id, known) in state.loops where pthread_equal(known.entry.thread, ours) != 0 {
        state.loops[id]?.entry.isHeld = true
      }
      return state.loops.values.map(\.loop)
    }
    for loop in loops { loop.post(.hold) }
    let end = monotonicNanoseconds() + patience
    while state.withLock({ $0.loops.values.contains { !$0.entry.isHeld } }), monotonicNanoseconds() < end {
      poll(nil, 0, 1)
    }
  }
}
