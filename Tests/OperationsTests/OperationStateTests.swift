import CurlewCore
import CurlewLoading
import CurlewTestSupport
import Dispatch
import Foundation
import HTTPTypes
import Testing

@testable import CurlewOperations

/// Every call in every state, without a queue; the transport answers when it is told to.
@Suite(.timeLimit(.minutes(10))) struct OperationStateTests {
  /// What the states should be, told apart from the code under test.
  private struct Model {
    var state = OperationState.ready
    var isHeld = false
    var hasStart = false

    /// Returns what the call should answer.
    mutating func take(_ call: OperationCall) -> Bool {
      switch (state, call) {
      case (.finished, _), (_, .wait), (.executing, .start), (.executing, .resume), (.ready, .resume): return false
      case (_, .cancel): state = .finished
      case (.ready, .start):
        state = .executing
        hasStart = true
      case (.paused, .start):
        let isNew = !hasStart
        hasStart = true
        return isNew
      case (.ready, .pause), (.executing, .pause): state = .paused
      case (.paused, .pause): return false
      case (.paused, .resume): state = hasStart ? .executing : .ready
      }
      return true
    }
  }

  private func sequences(_ length: Int) -> [[OperationCall]] {
    guard length > 0 else { return [[]] }
    // Waiting changes no state.
    let calls = OperationCall.allCases.filter { $0 != .wait }
    return sequences(length - 1).flatMap { before in calls.map { before + [$0] } }
  }

  @Test func `every sequence of six calls has its states, and every operation ends once`() async {
    let gate = ManualGate()
    let loader = Loader(Fixture.gated(gate))
    let queue = DispatchQueue(label: "test")
    let completions = Count()
    var operations: [URLConnectionOperation] = []
    for calls in sequences(6) {
      let operation = URLConnectionOperation(Request(.get, Fixture.url), over: loader)
      operation.completionQueue = queue
      operation.postsNotifications = false
      let times = Count()
      operation.completionBlock = {
        times.add()
        completions.add()
        #expect(times.value == 1)
      }
      var model = Model()
      for call in calls {
        let answer = model.take(call)
        switch call {
        case .start: operation.start()
        case .cancel: operation.cancel()
        case .pause: #expect(operation.pause() == answer, "\(calls)")
        case .resume: #expect(operation.resume() == answer, "\(calls)")
        case .wait: break
        }
        #expect(operation.operationState == model.state, "\(calls) at \(call)")
        #expect(operation.isFinished == (model.state == .finished))
        #expect(operation.isExecuting == (model.state == .executing))
        #expect(operation.isPaused == (model.state == .paused))
      }
      if model.state == .finished { #expect(operation.error is CancellationError, "\(calls)") }
      operation.cancel()
      operations.append(operation)
    }
    await Fixture.wait(while: completions.value < operations.count)
    #expect(completions.value == 4096)
    #expect(operations.allSatisfy { $0.isFinished && $0.isCancelled })
    gate.open()
    for operation in operations { await operation.settled() }
  }

  @Test func `cancelling before the start sends nothing, and the outcome is there at once`() async throws {
    let stub = StubTransport(.text("hello"))
    let operation = Fixture.operation(stub)
    operation.cancel()
    #expect(operation.isFinished && operation.isCancelled && operation.isReady)
    #expect(operation.error is CancellationError)
    operation.start()
    await #expect(throws: CancellationError.self) { _ = try await operation.value }
    #expect(stub.requestCount == 0)
  }

  @Test func `paused, started and resumed it tells started, paused, resumed and finished in order`() async throws {
    let gate = ManualGate()
    let operation = Fixture.operation(Fixture.gated(gate))
    let events = Collected<OperationEvent>()
    operation.setEventBlock { events.append($0) }
    let group = DispatchGroup()
    operation.completionGroup = group
    operation.start()
    try await gate.waitForArrivals()
    #expect(operation.pause())
    #expect(!operation.pause())
    #expect(operation.resume())
    gate.open()
    #expect(try await operation.value(as: Data.self) == Data("hello".utf8))
    await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
    #expect(events.all == [.started, .paused, .refused(.pause, in: .paused), .resumed, .finished])
    #expect(!operation.pause() && !operation.resume())
    #expect(operation.request.headerFields.isEmpty)
    #expect(operation.error == nil)
  }

  @Test func `a start that comes during a pause sends nothing until it is resumed`() async throws {
    let stub = StubTransport(.text("hello"))
    let operation = Fixture.operation(stub)
    operation.pause()
    operation.start()
    #expect(operation.isPaused && stub.requestCount == 0)
    operation.resume()
    #expect(try await operation.value(as: Data.self) == Data("hello".utf8))
  }

  @Test func `cancelled while it is paused, it is over at once`() async throws {
    let gate = ManualGate()
    let operation = Fixture.operation(Fixture.gated(gate))
    operation.start()
    try await gate.waitForArrivals()
    operation.pause()
    operation.cancel()
    #expect(operation.isFinished && operation.error is CancellationError)
    gate.open()
    await operation.settled()
    #expect(operation.error is CancellationError)
  }

  @Test func `the order at the end is value, isFinished, failure or success, completion block, group`() async throws {
    let operation = HTTPRequestOperation(Request(.get, Fixture.url), over: Loader(StubTransport(.text("hello"))))
    let queue = DispatchQueue(label: "end")
    operation.completionQueue = queue
    let group = DispatchGroup()
    operation.completionGroup = group
    let order = Collected<String>()
    operation.setCompletionBlock(
      success: { operation, value in
        order.append("success \(operation.isFinished) \(operation.responseString ?? "")")
        #expect(value as? Data == Data("hello".utf8))
      }, failure: { _, error in order.append("failure \(error)") })
    operation.completionBlock = { order.append("completion") }
    operation.start()
    _ = try await operation.value
    #expect(operation.isFinished)
    await withCheckedContinuation { done in
      group.notify(queue: queue) {
        order.append("group")
        done.resume()
      }
    }
    #expect(order.all == ["success true hello", "completion", "group"])
  }

  @Test func `blocks are released at the end, although they hold the operation`() async throws {
    weak var seen: URLConnectionOperation?
    do {
      let operation = Fixture.operation(StubTransport(.text("hello")))
      seen = operation
      operation.completionBlock = { _ = operation.response }
      operation.setEventBlock { _ in _ = operation.response }
      operation.setDownloadProgressBlock(on: .serial()) { _ in _ = operation.response }
      operation.start()
      _ = try await operation.value
      await operation.settled()
    }
    await Fixture.wait(while: seen != nil)
  }

  @Test func `an operation that is paused and that nobody holds is cancelled and released`() async throws {
    let gate = ManualGate()
    let stub = Fixture.gated(gate)
    weak var seen: URLConnectionOperation?
    do {
      let operation = Fixture.operation(stub)
      seen = operation
      operation.start()
      try await gate.waitForArrivals()
      operation.pause()
    }
    await Fixture.wait(while: seen != nil || stub.inFlightCount > 0)
  }

  @Test func `one that executes goes on when nobody holds it`() async throws {
    let gate = ManualGate()
    let done = Count()
    do {
      let operation = Fixture.operation(Fixture.gated(gate))
      operation.completionBlock = { done.add() }
      operation.start()
    }
    try await gate.waitForArrivals()
    gate.open()
    await Fixture.wait(while: done.value == 0)
  }

  @Test func `cancelling the task that waits cancels the operation, and the other way round`() async throws {
    let gate = ManualGate()
    let operation = Fixture.operation(Fixture.gated(gate))
    operation.start()
    let waiting = Task { try await operation.value }
    try await gate.waitForArrivals()
    waiting.cancel()
    await #expect(throws: CancellationError.self) { _ = try await waiting.value }
    #expect(operation.isCancelled && operation.isFinished)
    let other = Fixture.operation(Fixture.gated(gate))
    let second = Task { try await other.value }
    other.cancel()
    await #expect(throws: CancellationError.self) { _ = try await second.value }
  }

  @Test func `an operation settles after its last block`() async {
    let queue = DispatchQueue(label: "blocks", attributes: .initiallyInactive)
    let calls = Collected<String>()
    let operation = HTTPRequestOperation(Request(.get, Fixture.url), over: Loader(StubTransport(.text("hello"))))
    operation.completionQueue = queue
    operation.setCompletionBlock(success: { _, _ in calls.append("success") }, failure: nil)
    operation.completionBlock = { calls.append("completion") }
    operation.start()
    await Fixture.wait(while: !operation.state.withLock { $0.isConcluded })
    let settling = Task {
      await operation.settled()
      return calls.all
    }
    queue.activate()
    #expect(await settling.value == ["success", "completion"])
    // One without blocks has none to wait for, even if its queue never runs.
    let plain = HTTPRequestOperation(Request(.get, Fixture.url), over: Loader(StubTransport(.text("hello"))))
    plain.completionQueue = DispatchQueue(label: "never", attributes: .initiallyInactive)
    plain.postsNotifications = false
    plain.cancel()
    await plain.settled()
    plain.completionQueue?.activate()
  }

  /// Blocks, as a function of an app does that a task happens to call.
  private func block(on operation: URLConnectionOperation) { operation.waitUntilFinished() }

  @Test func `a task that waits by blocking its thread is refused while the operation runs, and not after its end`()
    async throws
  {
    let gate = ManualGate()
    let events = Collected<OperationEvent>()
    let operation = Fixture.operation(Fixture.gated(gate))
    operation.setEventBlock { events.append($0) }
    operation.start()
    try await gate.waitForArrivals()
    // More tasks than there are threads for tasks: none of them keeps the operation from going on.
    await withTaskGroup { group in
      for _ in 0..<ProcessInfo.processInfo.activeProcessorCount + 2 { group.addTask { block(on: operation) } }
    }
    #expect(!operation.isFinished)
    gate.open()
    #expect(try await operation.value(as: Data.self) == Data("hello".utf8))
    block(on: operation)
    await Fixture.wait(while: events.all.last != .finished)
    #expect(
      events.all.contains(.refused(.wait, in: .executing)) && !events.all.contains(.refused(.wait, in: .finished)))
  }

  @Test func `a thread that waits for an operation in no queue continues when it is cancelled, also before`() async {
    for isEarly in [true, false] {
      let operation = Fixture.operation(StubTransport(.text("hello")))
      let returns = Count()
      if isEarly { operation.cancel() }
      Thread.detachNewThread {
        operation.waitUntilFinished()
        returns.add()
      }
      if !isEarly {
        await Fixture.wait(while: operation.state.withLock { $0.earlyFollowers.isEmpty })
        operation.cancel()
      }
      await Fixture.wait(while: returns.value == 0)
    }
  }
}
