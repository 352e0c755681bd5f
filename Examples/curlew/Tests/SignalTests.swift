import CurlewTestSupport
import Dispatch
import Glibc
import Testing

@testable import CurlewTool

@Suite(.timeLimit(.minutes(10))) struct SignalTests {
  @Test func `a signal that arrives before anybody listens is delivered`() async throws {
    let signals = try SignalPipe([SIGUSR2])
    kill(getpid(), SIGUSR2)
    let first = ManualGate()
    let second = ManualGate()
    let watch = signals.listen { if first.isOpen { second.open() } else { first.open() } }
    try await first.wait()
    kill(getpid(), SIGUSR2)
    try await second.wait()
    watch.cancel()
    signal(SIGUSR2, SIG_DFL)
  }
}
