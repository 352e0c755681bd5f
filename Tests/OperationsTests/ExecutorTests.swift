import CurlewCore
import CurlewLoading
import CurlewTestSupport
import Dispatch
import Foundation
import HTTPTypes
import Testing

@testable import CurlewOperations

@Suite(.timeLimit(.minutes(10))) struct ExecutorTests {
  private func order(_ executor: CallbackExecutor) async -> [Int] {
    let numbers = Collected<Int>()
    for number in 0..<100 { executor.run { numbers.append(number) } }
    await Fixture.wait(while: numbers.all.count < 100)
    return numbers.all
  }

  @Test func `dispatch queues and operation queues keep the order of callbacks`() async {
    #expect(await order(.queue(DispatchQueue(label: "serial"))) == Array(0..<100))
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    #expect(await order(.operations(queue)) == Array(0..<100))
  }

  /// A run loop on a thread of its own that runs in one mode, a hundredth of a second at a time.
  private final class LoopThread: Sendable {
    /// The loop, used from other threads only to hand it work.
    // Safe because Foundation locks the list of what a loop is to perform.
    private struct Loop: @unchecked Sendable {
      var loop: RunLoop
    }

    private let loop = Guarded<Loop?>(nil)
    private let isOver = Guarded(false)

    init(_ mode: RunLoop.Mode) {
      Thread.detachNewThread { [self] in
        loop.withLock { $0 = Loop(loop: .current) }
        let timer = Timer(timeInterval: 0.01, repeats: true) { _ in }
        RunLoop.current.add(timer, forMode: mode)
        while !isOver.withLock({ $0 }) {
          _ = RunLoop.current.run(mode: mode, before: Date(timeIntervalSinceNow: 0.01))
        }
      }
    }

    func stop() { isOver.withLock { $0 = true } }

    func executor(_ modes: Set<RunLoop.Mode>, _ wakeUps: Count) async -> CallbackExecutor {
      await Fixture.wait(while: loop.withLock { $0 } == nil)
      return .runLoop(in: modes, { [self] in loop.withLock { $0 }?.loop ?? .main }, wake: { wakeUps.add() })
    }
  }

  @Test func `a run loop calls back in order, in its modes only, and is woken for each`() async {
    let (loop, wakeUps) = (LoopThread(.default), Count())
    let others = Count()
    let other = await loop.executor([RunLoop.Mode("other")], wakeUps)
    other.run { others.add() }
    #expect(await order(await loop.executor([.default, RunLoop.Mode("another")], wakeUps)) == Array(0..<100))
    #expect(wakeUps.value == 101 && others.value == 0)
    loop.stop()
  }

  @Test func `run loop modes are an executor, and a copy has them`() {
    let operation = URLConnectionOperation(Request(.get, Fixture.url), over: Loader(StubTransport(.text("hello"))))
    #expect(operation.runLoopModes.isEmpty && operation.callbackExecutor == nil)
    operation.runLoopModes = [.common]
    #expect(operation.callbackExecutor != nil && operation.copied().runLoopModes == [.common])
    #expect(operation.copied().callbackExecutor != nil)
    operation.callbackExecutor = .serial()
    #expect(operation.runLoopModes.isEmpty)
    operation.runLoopModes = [.default]
    operation.runLoopModes = []
    #expect(operation.callbackExecutor == nil)
  }

  @Test func `the blocks of an operation run where its executor runs them`() async throws {
    let (loop, wakeUps) = (LoopThread(.default), Count())
    let redirect = StubTransport { asked in
      asked.index == 0 ? StubAnswer(.found, headerFields: [.location: "/there"]) : .text("here")
    }
    let operation = HTTPRequestOperation(
      Request(.get, Fixture.url), over: Loader(redirect, chain: InterceptorChain(redirect: Redirect())))
    operation.callbackExecutor = await loop.executor([.default], wakeUps)
    let modes = Collected<RunLoop.Mode?>()
    operation.setRedirectBlock { _, proposed, _ in
      modes.append(RunLoop.current.currentMode)
      return proposed
    }
    operation.start()
    #expect(try await operation.value(as: Data.self) == Data("here".utf8))
    #expect(modes.all == [.default])
    loop.stop()
  }
}
