import Testing

@testable import CurlewCore

@Suite(.timeLimit(.minutes(10))) struct WaitersTests {
  private final class Gate: Sendable {
    private struct State: WaitableState {
      var opening: Int?
      var arrivals = 0
      var waiters = Waiters()
    }

    private let state = Guarded(State())

    func wait(leavesWhenCancelled: Bool = true) async throws -> Int {
      try await state.wait(leavesWhenCancelled: leavesWhenCancelled) { state in
        state.arrivals += 1
        return state.opening == nil ? nil : .success(())
      }
      return state.withLock { $0.opening ?? 0 }
    }

    /// Returns once as many tasks wait; they are added under the lock that counts them.
    func arrived(_ count: Int) async { while state.withLock({ $0.arrivals }) < count { await Task.yield() } }

    func open(_ number: Int) {
      let waiters = state.withLock { state in
        state.opening = number
        return state.waiters.takeAll()
      }
      for waiter in waiters { waiter.resume() }
    }
  }

  @Test func `every task that waits is resumed, and one that comes later does not wait`() async throws {
    let gate = Gate()
    let tasks = (0..<100).map { _ in Task { try await gate.wait() } }
    await gate.arrived(100)
    gate.open(7)
    for task in tasks { #expect(try await task.value == 7) }
    #expect(try await gate.wait() == 7)
  }

  @Test func `a cancelled task stops waiting, before, during or after the wait, and no other does`() async throws {
    for round in 0..<200 {
      let gate = Gate()
      let patient = Task { try await gate.wait() }
      let task = Task { try await gate.wait() }
      for _ in 0..<(round % 5) { await Task.yield() }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      gate.open(round)
      #expect(try await patient.value == round)
      task.cancel()
    }
  }

  @Test func `a task that does not leave gets the reply although it is cancelled`() async throws {
    let gate = Gate()
    let task = Task { try await gate.wait(leavesWhenCancelled: false) }
    await gate.arrived(1)
    task.cancel()
    gate.open(3)
    #expect(try await task.value == 3)
  }

  @Test func `opening races with waiting and cancelling, and every wait ends once`() async throws {
    for _ in 0..<500 {
      let gate = Gate()
      let tasks = (0..<4).map { _ in Task { try? await gate.wait() } }
      async let cancelling: Void = { for task in tasks.prefix(2) { task.cancel() } }()
      gate.open(1)
      await cancelling
      for task in tasks.suffix(2) { #expect(await task.value == 1) }
      for task in tasks.prefix(2) { _ = await task.value }
    }
  }
}
