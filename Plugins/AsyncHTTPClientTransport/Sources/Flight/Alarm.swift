#if AsyncHTTPClient
import CurlewCore
import NIOCore
import Synchronization

/// One timer, which can be set again and cancelled.
///
/// The machine's clock uses an event loop, where a cancelled timer costs nothing. The runtime keeps a cancelled sleep until its
/// end, so only an injected clock is waited for with a task.
final class Alarm: Sendable {
  private enum Timer {
    case loop(Scheduled<Void>)
    case task(Task<Void, Never>)

    func cancel() {
      switch self {
      case .loop(let scheduled): scheduled.cancel()
      case .task(let task): task.cancel()
      }
    }
  }

  private struct State {
    var timer: Timer?
    var isOver = false
  }

  private let clock: any NetworkClock
  private let loop: any EventLoop
  private let state = Mutex(State())

  init(_ clock: any NetworkClock, on loop: any EventLoop) {
    self.clock = clock
    self.loop = loop
  }

  /// Calls a closure at an instant, instead of one that was set before.
  func set(at instant: ContinuousClock.Instant, _ ring: @escaping @Sendable () -> Void) {
    let timer: Timer
    if clock is SystemClock {
      let wait = ContinuousClock.now.duration(to: instant)
      timer = .loop(loop.scheduleTask(in: max(wait, .zero).timeAmount, ring))
    } else {
      timer = .task(
        Task {
          guard (try? await clock.sleep(until: instant)) != nil else { return }
          ring()
        })
    }
    let old = state.withLock { state -> Timer? in
      guard !state.isOver else { return timer }
      defer { state.timer = timer }
      return state.timer
    }
    old?.cancel()
  }

  /// Cancels the timer; later ones do not ring.
  func cancel() {
    let timer = state.withLock { state in
      state.isOver = true
      defer { state.timer = nil }
      return state.timer
    }
    timer?.cancel()
  }
}
#endif
