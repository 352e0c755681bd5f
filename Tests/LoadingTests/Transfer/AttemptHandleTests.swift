import CurlewCore
import Testing

@testable import CurlewLoading

/// What reaches an attempt before its task is known.
@Suite(.timeLimit(.minutes(10))) struct AttemptHandleTests {
  @Test func `an attempt that was cancelled before its task is known cancels it`() async {
    let handle = AttemptHandle()
    handle.cancel()
    let task = Task { while !Task.isCancelled { await Task.yield() } }
    handle.run(task, after: nil)
    #expect(task.isCancelled)
    task.cancel()
    await task.value
  }

  @Test func `an attempt whose work has ended keeps no task`() async {
    let handle = AttemptHandle()
    handle.leave()
    handle.run(Task {}, after: nil)
    #expect(handle.task == nil)
  }
}
