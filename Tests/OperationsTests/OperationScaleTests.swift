import CurlewCore
import CurlewLoading
import CurlewOperations
import CurlewTestSupport
import Foundation
import Glibc
import HTTPTypes
import Testing

/// Many operations; each figure is taken in a process of its own.
@Suite(.timeLimit(.minutes(10))) struct OperationScaleTests {
  static let isMeasurable = getenv("CURLEW_SANITIZER") == nil

  @Test(.enabled(if: isMeasurable, "A sanitizer's own memory is measured with it."))
  func `an operation that waits takes at most 2 kB`() async {
    await #expect(processExitsWith: .success) {
      let loader = Loader(StubTransport(.text("hello")))
      let queue = OperationQueue()
      queue.isSuspended = true
      func add(_ count: Int) {
        for _ in 0..<count { queue.addOperation(HTTPRequestOperation(Request(.get, Fixture.url), over: loader)) }
      }
      add(2_000)
      let before = Scale.memory
      add(20_000)
      let each = (Scale.memory - before) / 20_000
      #expect(each <= 2_048, "\(each) bytes each")
      queue.cancelAllOperations()
      queue.isSuspended = false
      await Fixture.wait(while: queue.operationCount > 0)
    }
  }

  @Test func `ten thousand through a queue of width 64 finish once each`() async {
    let loader = Loader(StubTransport(.text("hello")))
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 64
    let serial = DispatchQueue(label: "scale")
    let ends = Count()
    for _ in 0..<10_000 {
      let operation = HTTPRequestOperation(Request(.get, Fixture.url), over: loader)
      operation.completionQueue = serial
      operation.completionBlock = { ends.add() }
      queue.addOperation(operation)
    }
    await Fixture.wait(while: queue.operationCount > 0 || ends.value < 10_000)
    #expect(ends.value == 10_000)
  }

  /// With 2,000 operations; `CURLEW_DEPENDENTS=10000` takes that many. The best of three rounds counts.
  ///
  /// The queue is suspended meanwhile: a running one looks at all waiting operations whenever one is added.
  @Test func `operations behind one dependency cost at most four times the CPU of free ones`() async {
    await #expect(processExitsWith: .success) {
      let count = ProcessInfo.processInfo.environment["CURLEW_DEPENDENTS"].flatMap { Int($0) } ?? 2_000
      let loader = Loader(StubTransport(.text("hello")))
      func run(behindOne: Bool) async -> Double {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 64
        let first = HTTPRequestOperation(Request(.get, Fixture.url), over: loader)
        let began = clock()
        queue.isSuspended = true
        for _ in 0..<count {
          let operation = HTTPRequestOperation(Request(.get, Fixture.url), over: loader)
          if behindOne { operation.addDependency(first) }
          queue.addOperation(operation)
        }
        queue.addOperation(first)
        queue.isSuspended = false
        // Yields too would be CPU; the last operation says when it is over.
        let last = HTTPRequestOperation(Request(.get, Fixture.url), over: loader)
        for operation in queue.operations { last.addDependency(operation) }
        queue.addOperation(last)
        _ = try? await last.value
        return Double(clock() - began)
      }
      _ = await run(behindOne: false)
      var (free, behind) = (Double.infinity, Double.infinity)
      for _ in 0..<3 {
        free = min(free, await run(behindOne: false))
        behind = min(behind, await run(behindOne: true))
      }
      print("figure: \(count) operations behind one dependency cost \(behind / free) times the CPU of free ones")
      #expect(behind <= 4 * free, "\(behind / free) times")
    }
  }
}

private enum Scale {
  /// The memory of this process, bytes.
  static var memory: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096
  }
}
