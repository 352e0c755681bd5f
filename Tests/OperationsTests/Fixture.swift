import CurlewCore
import CurlewLoading
import CurlewTestSupport
import Dispatch
import Foundation
import HTTPTypes
import Testing

@testable import CurlewOperations

/// What several suites need.
enum Fixture {
  static let url = URL(string: "http://stub.test/") ?? URL(filePath: "/")

  /// Lets other tasks run for as long as a condition holds; what never comes fails the test and does not hang it.
  static func wait(
    while condition: @autoclosure () -> Bool, isolation: isolated (any Actor)? = #isolation,
    _ location: SourceLocation = #_sourceLocation
  ) async {
    let end = ContinuousClock.now.advanced(by: .seconds(300))
    while condition() {
      guard ContinuousClock.now < end, !Task.isCancelled else {
        Issue.record("What was waited for did not come.", sourceLocation: location)
        return
      }
      await Task.yield()
    }
  }

  /// A transport that answers when the gate opens.
  static func gated(_ gate: ManualGate, _ text: String = "hello") -> StubTransport {
    StubTransport { _ in
      try await gate.wait()
      return .text(text)
    }
  }

  static func operation(_ transport: StubTransport) -> URLConnectionOperation {
    let operation = URLConnectionOperation(Request(.get, url), over: Loader(transport))
    operation.completionQueue = DispatchQueue(label: "test")
    return operation
  }

  /// Holds the calling thread until a queue is empty.
  static func drain(_ queue: OperationQueue) { queue.waitUntilAllOperationsAreFinished() }
}

/// Values from anywhere, in order.
final class Collected<Value: Sendable>: Sendable {
  private let values = Guarded<[Value]>([])
  func append(_ value: Value) { values.withLock { $0.append(value) } }
  var all: [Value] { values.withLock { $0 } }
}

/// Counts from anywhere.
final class Count: Sendable {
  private let count = Guarded(0)
  func add() { count.withLock { $0 += 1 } }
  var value: Int { count.withLock { $0 } }
}
