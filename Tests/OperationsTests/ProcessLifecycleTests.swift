import CurlewCore
import CurlewLoading
import CurlewOperations
import CurlewTestSupport
import Dispatch
import Foundation
import Glibc
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct ProcessLifecycleTests {
  private let clock = ManualClock()
  private let gate = ManualGate()

  private func operation() -> URLConnectionOperation { Fixture.operation(Fixture.gated(gate)) }

  @Test func `the end of the process waits for an operation`() async throws {
    let grace = GracePeriod(.seconds(20), clock: clock)
    let operation = operation()
    let expired = Count()
    let isFirst = operation.continueAtProcessEnd(under: grace) { expired.add() }
    #expect(isFirst)
    #expect(!operation.continueAtProcessEnd(under: grace))
    #expect(grace.workCount == 1)
    operation.start()
    let ending = Task { await grace.expire() }
    try await clock.waitForSleepers()
    gate.open()
    await ending.value
    #expect(operation.error == nil && operation.isFinished)
    #expect(expired.value == 0 && grace.workCount == 0)
  }

  @Test func `when the time is over the handler is called and the operation cancelled`() async throws {
    let grace = GracePeriod(.seconds(20), clock: clock)
    let operation = operation()
    let order = Collected<Bool>()
    operation.continueAtProcessEnd(under: grace, expiration: { order.append(operation.isCancelled) })
    operation.start()
    let ending = Task { await grace.expire() }
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(21))
    await ending.value
    #expect(order.all == [false] && operation.error is CancellationError)
    // Whoever comes afterwards has no time left.
    let late = self.operation()
    late.continueAtProcessEnd(under: grace)
    #expect(late.isCancelled)
  }

  @Test func `a grace period of any length ends with the work`() async throws {
    let grace = GracePeriod(.seconds(Int64.max) * 18)
    let operation = operation()
    operation.continueAtProcessEnd(under: grace)
    operation.start()
    let ending = Task { await grace.expire() }
    gate.open()
    await ending.value
    #expect(grace.workCount == 0)
  }

  @Test func `work that is left expires in the order in which it was announced`() async {
    let grace = GracePeriod(.zero)
    let order = Collected<Int>()
    let works = (0..<8).map { number in grace.begin { order.append(number) } }
    await grace.expire()
    #expect(works.count == 8 && order.all == Array(0..<8))
  }

  @Test func `an operation that is over, or released before its start, is not waited for`() async throws {
    let grace = GracePeriod(.seconds(20), clock: clock)
    let over = operation()
    over.cancel()
    #expect(!over.continueAtProcessEnd(under: grace))
    do { operation().continueAtProcessEnd(under: grace) }
    #expect(grace.workCount == 0)
    await grace.expire()
  }

  @Test func `on a real SIGTERM an operation that runs is carried to its end`() async {
    await #expect(processExitsWith: .success) {
      let (gate, grace) = (ManualGate(), GracePeriod(.seconds(60)))
      let operation = Fixture.operation(Fixture.gated(gate))
      operation.continueAtProcessEnd(under: grace)
      signal(SIGTERM, SIG_IGN)
      let asked = Count()
      let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
      source.setEventHandler { asked.add() }
      // A signal that arrives before the source listens is lost.
      await withCheckedContinuation { listens in
        source.setRegistrationHandler { listens.resume() }
        source.resume()
      }
      operation.start()
      try await gate.waitForArrivals()
      kill(getpid(), SIGTERM)
      await Fixture.wait(while: asked.value == 0)
      let ending = Task { await grace.expire() }
      gate.open()
      await ending.value
      #expect(operation.error == nil && operation.isFinished)
      source.cancel()
    }
  }
}
