import CurlewCore
import CurlewLoading
import CurlewTestSupport
import Dispatch
import Foundation
import HTTPTypes
import Testing

@testable import CurlewOperations

/// Operations in Foundation's own queues.
@Suite(.timeLimit(.minutes(10))) struct OperationQueueTests {
  /// The queue that a sequence of calls meets.
  enum Place: Sendable, Hashable, CustomTestStringConvertible {
    case running(width: Int)
    case suspended
    case behindDependency

    var testDescription: String { "\(self)" }
  }

  private static let calls: [OperationCall] = [.pause, .resume, .cancel]

  private func sequences(_ length: Int) -> [[OperationCall]] {
    guard length > 0 else { return [[]] }
    return sequences(length - 1).flatMap { before in Self.calls.map { before + [$0] } }
  }

  private func apply(_ calls: [OperationCall], to operation: URLConnectionOperation) {
    for call in calls {
      switch call {
      case .pause: operation.pause()
      case .resume: operation.resume()
      case .cancel: operation.cancel()
      case .start, .wait: break
      }
    }
  }

  @Test(arguments: (1...8).map { Place.running(width: $0) } + [.suspended, .behindDependency])
  func `every sequence of six calls lets the queue drain, and each operation ends once`(place: Place) async {
    let queue = OperationQueue()
    let stub = StubTransport(.text("hello"))
    let loader = Loader(stub)
    let never = BlockOperation {}
    switch place {
    case .running(let width): queue.maxConcurrentOperationCount = width
    case .suspended: queue.isSuspended = true
    case .behindDependency: queue.maxConcurrentOperationCount = 4
    }
    let serial = DispatchQueue(label: "test")
    let ends = Count()
    var operations: [URLConnectionOperation] = []
    for calls in sequences(6) {
      let operation = URLConnectionOperation(Request(.get, Fixture.url), over: loader)
      operation.completionQueue = serial
      operation.postsNotifications = false
      operation.completionBlock = { ends.add() }
      // Half of the calls come before the operation is in its queue.
      let early = calls.count / 2
      if place == .behindDependency { operation.addDependency(never) }
      apply(Array(calls[..<early]), to: operation)
      queue.addOperation(operation)
      apply(Array(calls[early...]), to: operation)
      operations.append(operation)
    }
    if place == .behindDependency {
      #expect(stub.requestCount == 0)
      for operation in operations { operation.cancel() }
    }
    for operation in operations { operation.resume() }
    queue.isSuspended = false
    await Fixture.wait(while: queue.operationCount > 0 || ends.value < operations.count)
    #expect(ends.value == 729)
    for operation in operations {
      #expect(operation.isFinished)
      #expect(operation.isCancelled == (operation.error is CancellationError))
    }
  }

  @Test func `a resumed operation that was not started waits for a place in its queue`() async throws {
    let gate = ManualGate()
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let stub = Fixture.gated(gate)
    let (first, second) = (Fixture.operation(stub), Fixture.operation(stub))
    second.pause()
    for operation in [first, second] { queue.addOperation(operation) }
    try await gate.waitForArrivals()
    second.resume()
    #expect(second.operationState == .ready && second.isReady)
    #expect(stub.requestCount == 1)
    gate.open()
    _ = try await second.value
    #expect(stub.requestCount == 2)
  }

  @Test func `operations that are paused before their start let the others pass`() async throws {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 2
    queue.isSuspended = true
    let loader = Loader(StubTransport(.text("hello")))
    let operations = (0..<60).map { _ in URLConnectionOperation(Request(.get, Fixture.url), over: loader) }
    for (index, operation) in operations.enumerated() {
      queue.addOperation(operation)
      if index % 3 == 0 { operation.pause() }
    }
    queue.isSuspended = false
    await Fixture.wait(while: queue.operationCount > 20)
    #expect(operations.filter(\.isPaused).count == 20)
    for operation in operations { operation.resume() }
    await Fixture.wait(while: queue.operationCount > 0)
    #expect(operations.allSatisfy { $0.error == nil && $0.isFinished })
  }

  @Test func `one that is paused after its start keeps its place`() async throws {
    let gate = ManualGate()
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let stub = Fixture.gated(gate)
    let (first, second) = (Fixture.operation(stub), Fixture.operation(stub))
    let events = Collected<OperationEvent>()
    first.setEventBlock { events.append($0) }
    for operation in [first, second] { queue.addOperation(operation) }
    try await gate.waitForArrivals()
    first.pause()
    // The queue's thread may still be busy with the start, and carries out the pause after it.
    await Fixture.wait(while: !events.all.contains(.paused))
    gate.open()
    // In another queue, which begins now, two operations end one after the other.
    let otherQueue = OperationQueue()
    otherQueue.maxConcurrentOperationCount = 1
    let others = [Fixture.operation(stub), Fixture.operation(stub)]
    for operation in others { otherQueue.addOperation(operation) }
    for operation in others { _ = try await operation.value }
    #expect(second.operationState == .ready)
    first.resume()
    _ = try await second.value
    #expect(first.isFinished)
  }

  @Test func `dependents start after the one they depend on, also when it failed or was cancelled`() async throws {
    let queue = OperationQueue()
    let order = Collected<Int>()
    let loader = Loader(
      StubTransport { asked in
        order.append(Int(asked.request.url.lastPathComponent) ?? -1)
        if asked.request.url.lastPathComponent == "1" {
          throw NetworkError(.protocolViolation, stage: .awaitingHead, message: "Broken.")
        }
        return .text("hello")
      })
    let operations = (0..<4).map { number in
      URLConnectionOperation(Request(.get, Fixture.url.appending(path: "\(number)")), over: loader)
    }
    for (next, before) in zip(operations.dropFirst(), operations) { next.addDependency(before) }
    for operation in operations.reversed() { queue.addOperation(operation) }
    await Fixture.wait(while: queue.operationCount > 0)
    #expect(order.all == [0, 1, 2, 3])
    #expect((operations[1].error as? NetworkError)?.kind == .protocolViolation)
  }

  @Test func `a cancelled one no longer keeps its dependents waiting, whatever it waits for itself`() async throws {
    let queue = OperationQueue()
    let stub = StubTransport(.text("hello"))
    let (never, middle, last) = (Fixture.operation(stub), Fixture.operation(stub), Fixture.operation(stub))
    middle.addDependency(never)
    last.addDependency(middle)
    for operation in [last, middle] { queue.addOperation(operation) }
    middle.cancel()
    #expect(try await last.value(as: Data.self) == Data("hello".utf8))
    #expect(stub.requestCount == 1)
  }

  @Test func `cancelAllOperations ends all of them, whatever they wait for`() async throws {
    let gate = ManualGate()
    let stub = Fixture.gated(gate)
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 2
    let never = Fixture.operation(stub)
    let operations = (0..<30).map { _ in Fixture.operation(stub) }
    for (index, operation) in operations.enumerated() {
      if index % 3 == 0 { operation.addDependency(never) }
      if index % 5 == 1 { operation.pause() }
      queue.addOperation(operation)
    }
    try await gate.waitForArrivals(2)
    // Foundation cancels one after another; the end of the first ones would start others that are not cancelled yet.
    queue.isSuspended = true
    queue.cancelAllOperations()
    #expect(operations.allSatisfy { $0.isFinished && $0.error is CancellationError })
    queue.isSuspended = false
    await Fixture.wait(while: queue.operationCount > 0)
    await Fixture.wait(while: stub.inFlightCount > 0)
    #expect(stub.requestCount == 2)
  }

  @MainActor @Test func `waiting on the main actor for operations with blocks on the main queue returns`() async throws
  {
    let queue = OperationQueue()
    let blocks = Count()
    let mark = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: mark, value: true)
    let operations = (0..<20).map { _ in
      let operation = URLConnectionOperation(
        Request(.get, Fixture.url), over: Loader(StubTransport(.text("hello"))))
      operation.completionBlock = {
        #expect(DispatchQueue.getSpecific(key: mark) == true)
        blocks.add()
      }
      return operation
    }
    for operation in operations { queue.addOperation(operation) }
    Fixture.drain(queue)
    #expect(blocks.value == 0)
    await Fixture.wait(while: blocks.value < 20)
  }

  @Test func `an observer with a queue of its own does not stop the transport`() async throws {
    let queue = OperationQueue()
    let slow = OperationQueue()
    slow.maxConcurrentOperationCount = 1
    let names = Collected<Notification.Name>()
    let operation = URLConnectionOperation(Request(.get, Fixture.url), over: Loader(StubTransport(.text("hello"))))
    let tokens = [Notification.Name.operationDidStart, .operationDidFinish].map { name in
      NotificationCenter.default.addObserver(forName: name, object: operation, queue: slow) { names.append($0.name) }
    }
    queue.addOperation(operation)
    #expect(try await operation.value(as: Data.self) == Data("hello".utf8))
    await Fixture.wait(while: names.all.count < 2)
    #expect(names.all == [.operationDidStart, .operationDidFinish])
    for token in tokens { NotificationCenter.default.removeObserver(token) }
  }
}
