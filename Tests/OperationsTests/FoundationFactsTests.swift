import CurlewCore
import CurlewLoading
import CurlewTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import CurlewOperations

/// The programs in which a naive `cancel` ends the process, each in a process of its own: they end well and print nothing.
@Suite(.timeLimit(.minutes(10))) struct FoundationFactsTests {
  @Test func `cancelling five in a suspended queue and adding five more ends well`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      Program.cancelInSuspendedQueue()
    }
    #expect(result.map { Program.foreign($0.standardOutputContent) } == "")
  }

  @Test func `cancelling before the operation is in a queue ends well`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      Program.cancelBeforeQueue()
    }
    #expect(result.map { Program.foreign($0.standardOutputContent) } == "")
  }

  @Test func `cancelling behind a dependency that never runs lets the queue drain`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      Program.cancelBehindDependency()
    }
    #expect(result.map { Program.foreign($0.standardOutputContent) } == "")
  }

  @Test func `a dependent that is gone before what it depends on does not end the process`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      Program.releaseDependents()
    }
    #expect(result.map { Program.foreign($0.standardOutputContent) } == "")
  }

  @Test func `cancelling a few thousand in every order while the queue runs ends well`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      Program.cancelAtRandom()
    }
    #expect(result.map { Program.foreign($0.standardOutputContent) } == "")
  }
}

/// The programs; they hold their thread, which a task must not do.
private enum Program {
  static func operations(_ count: Int) -> [URLConnectionOperation] {
    let loader = Loader(StubTransport(.text("hello")))
    return (0..<count).map { _ in URLConnectionOperation(Request(.get, Fixture.url), over: loader) }
  }

  static func cancelInSuspendedQueue() {
    let queue = OperationQueue()
    queue.isSuspended = true
    for operation in operations(5) {
      queue.addOperation(operation)
      operation.cancel()
    }
    for operation in operations(5) { queue.addOperation(operation) }
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(queue.operationCount == 0)
  }

  static func cancelBeforeQueue() {
    let queue = OperationQueue()
    for operation in operations(5) {
      operation.cancel()
      queue.addOperation(operation)
    }
    queue.waitUntilAllOperationsAreFinished()
  }

  static func cancelBehindDependency() {
    let queue = OperationQueue()
    let never = BlockOperation {}
    let waiting = operations(6)
    for (index, operation) in waiting.enumerated() {
      operation.addDependency(never)
      if index % 3 == 1 { operation.cancel() }
      queue.addOperation(operation)
      operation.cancel()
    }
    queue.waitUntilAllOperationsAreFinished()
    queue.addOperation(never)
    queue.waitUntilAllOperationsAreFinished()
  }

  static func releaseDependents() {
    let queue = OperationQueue()
    for isCancelled in [true, false] {
      let first = operations(200)
      for operation in first {
        let dependent = operations(1)[0]
        dependent.addDependency(operation)
        if isCancelled {
          dependent.cancel()
          queue.addOperation(dependent)
        }
      }
      queue.waitUntilAllOperationsAreFinished()
      // What took the place of the dependents in memory must not be touched.
      let others = operations(200)
      for operation in first { queue.addOperation(operation) }
      queue.waitUntilAllOperationsAreFinished()
      #expect(others.allSatisfy { $0.operationState == .ready })
    }
  }

  static func cancelAtRandom() {
    for width in [1, 3, 8] {
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = width
      let many = operations(1_000)
      for (index, operation) in many.enumerated() {
        if index % 7 == 3 { operation.addDependency(many[index - 1]) }
        queue.addOperation(operation)
        if index % 3 == 0 { many[index * 31 % (index + 1)].cancel() }
      }
      queue.waitUntilAllOperationsAreFinished()
    }
  }

  /// What is on standard output and is not the test library's own.
  static func foreign(_ output: [UInt8]) -> String {
    String(decoding: output, as: UTF8.self).split(separator: "\n").joined(separator: "\n")
  }
}
